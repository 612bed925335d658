// The types of a record's parts, by the types of what they are made of. They say in types what
// conversion.ts does with values.

/** The fields of a testcase or of outputs, where nothing tells their types. */
export type Json = Record<string, unknown>;

/** A value as its record keeps it. */
export type JsonOf<Value> = 0 extends 1 & Value
  ? Value
  : Value extends string | number | boolean | null | undefined
    ? Value
    : Value extends bigint
      ? number | string
      : Value extends Uint8Array
        ? string
        : Value extends { toJSON(key: string): infer Text }
          ? JsonOf<Text>
          : Value extends symbol | ((...given: never) => unknown)
            ? null
            : Value extends ReadonlyMap<unknown, infer Member>
              ? Record<string, JsonOf<Member>>
              : Value extends ListLike<infer Element>
                ? JsonOf<Element extends undefined ? null : Element>[]
                : Value extends object
                  ? { [Name in keyof Value]: JsonOf<Value[Name]> }
                  : unknown;

type ListLike<Element> =
  | readonly Element[]
  | ReadonlySet<Element>
  | (ArrayBufferView & Iterable<Element>);

/** The outputs that scorers get, of the result of a system. */
export type OutputsOf<Result> = 0 extends 1 & Result
  ? Result
  : unknown extends Result
    ? Json
    : [Result] extends [never]
      ? Json
      : Result extends void
        ? { output: null }
        : Result extends IterableIterator<infer Part> | AsyncIterableIterator<infer Part>
          ? { output: JsonOf<Part>[] }
          : NamedFields<JsonOf<Result>>;

/** An object has its own fields; anything else is the field `output`. */
type NamedFields<Value> = Value extends readonly unknown[]
  ? { output: Value }
  : Value extends object
    ? Value
    : { output: Value };

/** The fields of `inputs` or `expected`; those of a value that is no object are not known. */
export type FieldsOf<Given> = [Given] extends [object]
  ? [Extract<Given, readonly unknown[]>] extends [never]
    ? [Given] extends [JsonOf<Given>]
      ? Given
      : JsonOf<Given>
    : Json
  : Json;

/** A testcase has one namespace: an expected field with the name of an input has another one there. */
export type ExpectedOf<Inputs, Expected> = [Extract<keyof Inputs, keyof Expected>] extends [never]
  ? FieldsOf<Expected>
  : Json;

/** The value of the only field, else of the field of this name, else the object; null of none. */
export type ValueOf<Fields, Name extends string> = string extends keyof Fields
  ? unknown
  : [keyof Fields] extends [never]
    ? null
    : IsUnion<keyof Fields> extends false
      ? Fields[keyof Fields]
      : Name extends keyof Fields
        ? Fields[Name]
        : Fields;

type IsUnion<Type, Whole = Type> = Type extends Whole
  ? [Whole] extends [Type]
    ? false
    : true
  : never;
