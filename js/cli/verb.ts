/** What a command may touch: run() reads and writes only what it is given. */
export interface Surroundings {
  /** The command line, without the program's name. */
  readonly args: readonly string[];
  /** Standard input; undefined where somebody sits at a keyboard. */
  readonly stdin: AsyncIterable<Uint8Array> | undefined;
  /** Writes to standard output; resolves when more may come. */
  readonly stdout: (bytes: Uint8Array) => void | Promise<void>;
  readonly stderr: (text: string) => void;
  /** Columns of the screen that stdout is, 0 for none. */
  readonly width: number;
  /** Whether stdout is a screen that may have colours. */
  readonly color: boolean;
  /** Whether stderr is a screen, where progress is shown. */
  readonly screen: boolean;
}

/** One flag of the command line: where its help, its form and the checks of its value are said, once. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** list: parted by commas, lines: each use is one; span: a duration in ms; switch: no value. */
  readonly form: "text" | "list" | "lines" | "int" | "uint" | "float" | "span" | "switch";
  readonly help: string;
  /** What stands for its value in the help. */
  readonly hint?: string;
  /** The only values. */
  readonly only?: readonly string[];
  readonly initial?: string;
  readonly group?: string;
}

/** A verb: what it takes, how it is explained, and what it does. */
export interface Verb {
  readonly name: string;
  readonly help: string;
  /** Printed below the flags. */
  readonly examples: string;
  /** Positional arguments: the name in the help, and how many there may be. */
  readonly takes?: { readonly name: string; readonly help: string; readonly most: number };
  readonly flags: readonly Flag[];
  /** Answers; resolves to whether a finding is at or above --fail-on. */
  run(values: Values, around: Surroundings): Promise<boolean>;
}

/** A flag's value: text, a list, whole numbers as bigint, a float or ms as number, true or false. */
export type Value = string | readonly string[] | bigint | number | boolean;

/** The flags that were given, and those with an initial value, by their names; the positional arguments. */
export interface Values {
  readonly flags: ReadonlyMap<string, Value>;
  readonly files: readonly string[];
}
