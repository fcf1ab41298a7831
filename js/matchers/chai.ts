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

/** What chai calls an assertion, as far as it is used. */
interface Subject {
  readonly _obj: unknown;
  assert(pass: boolean, message: string, negated: string): void;
}

/** The part of chai that a plugin is given. */
export interface ChaiLike {
  readonly Assertion: { addMethod(name: string, method: (this: never, ...given: unknown[]) => unknown): void };
}

/** Registers the two assertions. */
export function stormlintChai(chai: ChaiLike): void {
  const say = (subject: Subject, { pass, message }: Answer): void => subject.assert(pass, message(), message());
  chai.Assertion.addMethod("stormSafe", function (this: Subject, options?: unknown) {
    say(this, toBeStormSafe(this._obj, options as StormSafeOptions | undefined));
  });
  chai.Assertion.addMethod("noFinding", function (this: Subject, rule: unknown) {
    say(this, toHaveNoFinding(this._obj, rule as string)); // checked there
  });
}

export default stormlintChai;
