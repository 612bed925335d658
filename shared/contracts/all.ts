import { catalog } from './catalog.ts';
import type { Service } from './define.ts';
import { identity } from './identity.ts';
import { metrics } from './metrics.ts';
import { results } from './results.ts';
import { runRecords } from './run-records.ts';
import { scoring } from './scoring.ts';
import { sessions } from './sessions.ts';
import { systems } from './systems.ts';
import { testcases } from './testcases.ts';
import { traces } from './traces.ts';
import { transfers } from './transfers.ts';

const all = [
  identity,
  catalog,
  testcases,
  systems,
  metrics,
  runRecords,
  scoring,
  results,
  sessions,
  transfers,
  traces,
] as const;

/** Every service of Assay. Gateway, laptop, benchmark and tests take their lists from this one. */
export const contracts: readonly Service[] = all;

export type ServiceName = (typeof all)[number]['name'];

type OperationsOf<Of extends Service> = Of extends Service
  ? Extract<keyof Of['operations'], string>
  : never;

/** The name of an operation of any service; no two services have one of the same name. */
export type OperationName = OperationsOf<(typeof all)[number]>;

export const serviceNames: readonly ServiceName[] = all.map(({ name }) => name);

type UpperSnake<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${Uppercase<First>}_${UpperSnake<Rest>}`
  : Uppercase<Name>;

/** The environment variable that holds the URLs of a service. */
export type UrlVariable<Name extends ServiceName = ServiceName> = `${UpperSnake<Name>}_URL`;

/** Returns the variable of a service's URLs: `RUN_RECORDS_URL` for `run-records`. */
export const urlVariable = <Name extends ServiceName>(name: Name): UrlVariable<Name> =>
  `${name.toUpperCase().replaceAll('-', '_')}_URL` as UrlVariable<Name>;
