import stormlint = require("stormlint");

const s: stormlint.Stormlint = stormlint.loadSync();
const version: string = s.version;
export = version;
