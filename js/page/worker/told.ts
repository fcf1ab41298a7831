import { fault, type Fault } from "./fault.js";

/** An error that a worker told, or the page in its place. */
export class Told extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.text);
    this.fault = fault;
  }
}

/** An error by its code and text. */
export function told(code: string, text: string): Told {
  return new Told(fault(code, text));
}
