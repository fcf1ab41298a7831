/** A plugin for chai: `use(stormlintChai)`, then `expect(x).to.be.stormSafe()` and `expect(x).to.have.noFinding(rule)`. */
import { toBeStormSafe, toHaveNoFinding, type Answer, type StormSafeOptions } from "./index.js";

declare global {
  namespace Chai {
    interface Assertion {
      /** No finding at or above `failOn` (high). The value is a SPEC, runs of delays in ms, or a kit's awaited verdict. */
      stormSafe(options?: StormSafeOptions): Assertion;
      /** This rule did not fire, at any severity. */
      noFinding(rule: string): Assertion;
    }
  }
}

interface Assertion {
  readonly _obj: unknown;
  assert(pass: boolean, message: string, negated: string): void;
}

/** Registers the two assertions. */
export function stormlintChai(chai: { readonly Assertion: any }): void {
  const add = (name: string, match: (received: unknown, argument: any) => Answer): void =>
    chai.Assertion.addMethod(name, function (this: Assertion, argument: unknown) {
      const answer = match(this._obj, argument);
      const text = answer.message();
      this.assert(answer.pass, text, text);
    });
  add("stormSafe", toBeStormSafe);
  add("noFinding", toHaveNoFinding);
}

export default stormlintChai;
