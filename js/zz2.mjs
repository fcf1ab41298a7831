import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { loadSync } from "stormlint";
const file="/tmp/speed/data/lines"; const bytes = readFileSync(file); const mb=bytes.length/1e6;
const mods=process.argv.slice(2).map(m=>[m,loadSync(readFileSync(m))]);
function own(s,o){const b=process.cpuUsage();const a=s.analyzer(o);a.write(bytes);a.finishRaw();a.close();const u=process.cpuUsage(b);return (u.user+u.system)/1e6;}
function nat(args){const out=execFileSync("bash",["-c",`TIMEFORMAT='%U %S'; { time /tmp/speed/sl "$@" >/dev/null; } 2>&1`,"x",...args],{encoding:"utf8"});const [u,y]=out.trim().split("\n").pop().split(" ").map(Number);return u+y;}
const med=l=>l.sort((a,b)=>a-b)[l.length>>1];
for(const [k,args,o] of [["compat",["--compat"],{compat:true}],["normal",["-o","json"],{}]]){
 const t={native:[]};
 for(let i=0;i<3;i++){ t.native.push(nat(["analyze","--parallel","1",...args,file])); for(const [m,s] of mods){(t[m]??=[]).push(own(s,o));} }
 const n=mb/med(t.native);
 for(const [m,l] of Object.entries(t)) console.log(k,m,(mb/med(l)).toFixed(0)+" MB/s",(mb/med(l)/n).toFixed(2));
}
