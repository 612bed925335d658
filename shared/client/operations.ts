import type { catalog } from '@assay/contracts/catalog';
import type { ParameterNames } from '@assay/contracts/define';
import type { identity } from '@assay/contracts/identity';
import type { metrics } from '@assay/contracts/metrics';
import type { JsonText } from '@assay/contracts/payload';
import type { results } from '@assay/contracts/results';
import type { runRecords } from '@assay/contracts/run-records';
import type { scoring } from '@assay/contracts/scoring';
import type { sessions } from '@assay/contracts/sessions';
import type { systems } from '@assay/contracts/systems';
import type { testcases } from '@assay/contracts/testcases';
import type { traces } from '@assay/contracts/traces';
import type { transfers } from '@assay/contracts/transfers';
import type { z } from 'zod';

/** The contracts as types: no client has them in its bundle. */
type Operations = {
  [Service in
    | typeof catalog
    | typeof identity
    | typeof metrics
    | typeof results
    | typeof runRecords
    | typeof scoring
    | typeof sessions
    | typeof systems
    | typeof testcases
    | typeof traces
    | typeof transfers as Service['name']]: Service['operations'][keyof Service['operations']];
};
type AnyOperation = Operations[keyof Operations];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The paths of the operations that have this method, as the contracts write them. */
export type PathOf<Wanted extends Method> = Extract<AnyOperation, { method: Wanted }>['path'];

/** The paths of lists. */
export type ListPath = Extract<AnyOperation, { method: 'GET'; item: z.ZodType }>['path'];

type OperationAt<Wanted extends Method, Path> = Extract<
  AnyOperation,
  { method: Wanted; path: Path }
>;

/** The values of a path's parameters. */
export type ParamsOf<Path extends string> = { [Name in ParameterNames<Path>]: string };

/** JSON as `JSON.parse` gives it: the contracts' types, with payloads as values. */
type JsonValue<Value> = Value extends JsonText
  ? Record<string, unknown>
  : Value extends (infer Item)[]
    ? JsonValue<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: JsonValue<Value[Key]> }
      : Value;

type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;

type JsonOf<Value> = Value extends JsonText
  ? object
  : Value extends (infer Item)[]
    ? JsonOf<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: JsonOf<Value[Key]> }
      : Value;

/** A URL holds a number as its digits: where a contract takes any text, a number can be given. */
type QueryValues<Query> = {
  [Name in keyof Query]: string extends Query[Name] ? Query[Name] | number : Query[Name];
};

/** The query parameters of an operation; those of a list's pages are added. */
export type QueryOf<Wanted extends Method, Path> = (OperationAt<Wanted, Path> extends {
  query: infer Query;
}
  ? Partial<QueryValues<InputOf<Query>>>
  : unknown) &
  (OperationAt<Wanted, Path> extends { item: z.ZodType }
    ? { limit?: number; cursor?: string }
    : unknown);

export type BodyOf<Wanted extends Method, Path> =
  OperationAt<Wanted, Path> extends { body: infer Body } ? JsonOf<InputOf<Body>> : undefined;

/** The items of a list. */
export type ItemOf<Path> =
  OperationAt<'GET', Path> extends { item: infer Item extends z.ZodType }
    ? JsonValue<z.output<Item>>
    : never;

export type ReplyOf<Wanted extends Method, Path> =
  OperationAt<Wanted, Path> extends { item: z.ZodType; reply: infer Reply extends z.ZodType }
    ? { data: ItemOf<Path>[]; nextCursor: string | null; hasMore: boolean } & Omit<
        JsonValue<z.output<Reply>>,
        'data' | 'nextCursor' | 'hasMore'
      >
    : OperationAt<Wanted, Path> extends { reply: infer Reply extends z.ZodType }
      ? JsonValue<z.output<Reply>>
      : undefined;
