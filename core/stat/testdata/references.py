# Writes references.txt beside it: python3 references.py, with mpmath 1.3.0.
from mpmath import *
import random
mp.dps=50
random.seed(20261130)
rows=[]
def add(name,args,val):
    rows.append('%s %s %s'%(name,' '.join(repr(float(a)) for a in args), nstr(val,25,strip_zeros=False) if val!=0 else '0'))
for i in range(150):
    x=random.uniform(-745,709) if i%2 else random.uniform(-2,2); add('exp',[x],exp(mpf(x)))
for i in range(100):
    random.uniform(-1,1); random.uniform(-12,1.2) # once a function that is gone: what follows keeps its arguments
for i in range(150):
    x=10**random.uniform(-320,308) if i%3==0 else (random.uniform(0.5,2) if i%3==1 else 1+random.uniform(-1,1)*10**random.uniform(-14,-1)); x=float(x); add('log',[x],log(mpf(x)))
for i in range(100):
    x=random.uniform(-0.999,1)*10**random.uniform(-16,0) if i%2 else 10**random.uniform(-2,300); add('log1p',[x],log1p(mpf(x)))
for i in range(200):
    x=10**random.uniform(-3,3)
    y=random.uniform(-100,100) if i%2 else random.randint(-60,60)
    v=power(mpf(x),mpf(y))
    if 1e-300<abs(v)<1e300: add('pow',[x,y],v)
for f in (1.1,1.2,1.3,1.5,1.6,1.618,2.5,3.0,1.0001,1.0000001):
    for n in (1,2,3,7,23,50,100,500,1000,100000, 2**31-1):
        v=power(mpf(f),n)
        if v<1e308: add('pow',[f,n],v)
for i in range(150):
    x=random.uniform(-6,6) if i%2 else random.uniform(-1.3,26); add('erfc',[x],erfc(mpf(x)))
for i in range(60):
    x=random.uniform(-8,37); add('normaltail',[x],erfc(mpf(x)/sqrt(mpf(2)))/2)
for df in (0.3,1,2,3,5,9.5,10,19,20,50,101.7,1000,12345.6,1e6):
    for k in (-3,-1,-0.3,0,0.5,1,2,3,5,10,25):
        x=df+k*float(sqrt(2*df))
        if x>0: add('chisquaretail',[x,df],gammainc(mpf(df)/2,mpf(x)/2,inf,regularized=True))
    add('chisquaretail',[df*3+200,df],gammainc(mpf(df)/2,mpf(df*3+200)/2,inf,regularized=True))
for t in (0.1,0.2,0.3,0.5,0.7,0.9,0.99,1.0,1.01,1.22,1.3581,1.5,1.63,1.95,2.5,3,5,8):
    v=sum(((-1)**(k-1))*exp(-2*mpf(k)**2*mpf(t)**2) for k in range(1,400))*2 if t>=0.15 else 1-sqrt(2*pi)/mpf(t)*sum(exp(-(2*k-1)**2*pi**2/(8*mpf(t)**2)) for k in range(1,30))
    add('kolmogorovtail',[t],v)
open(__import__('os').path.dirname(__import__('os').path.abspath(__file__))+'/references.txt','w').write('# function, arguments, value with 25 digits; written by references.py (mpmath, 50 digits)\n'+'\n'.join(rows)+'\n')
print(len(rows))
