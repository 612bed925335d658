import { readConfig } from '@assay/runtime/config';
import { createProxiedFetch, type Fetch } from '@assay/runtime/http/proxied-fetch';
import { z } from 'zod';
import { CommandFailure } from './failure.ts';

let made: Fetch | undefined;

/**
 * The one way of the command to the network: through the proxies of the environment.
 * @throws CommandFailure where a variable names no proxy.
 */
export function proxiedFetch(): Fetch {
  made ??= create();
  return made;
}

function create(): Fetch {
  const variable = (name: string) => readConfig({ [name]: z.string().optional() })[name];
  try {
    return createProxiedFetch(variable);
  } catch (error) {
    throw new CommandFailure((error as Error).message);
  }
}
