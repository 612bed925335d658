import { readConfig } from '@assay/runtime/config';
import { createProxiedFetch, type Fetch } from '@assay/runtime/http/proxied-fetch';
import { z } from 'zod';
import { CommandFailure } from './failure.ts';

let made: Fetch | undefined;

/** The one way of the command to the network: through the proxies of the environment. */
export const proxiedFetch: Fetch = async (url, init) => {
  made ??= findProxies();
  return made(url, init);
};

/** Reads the proxies, before anything is asked for. @throws CommandFailure where one is none. */
export function findProxies(): Fetch {
  const variable = (name: string) => readConfig({ [name]: z.string().optional() })[name];
  try {
    made = createProxiedFetch(variable);
    return made;
  } catch (error) {
    throw new CommandFailure((error as Error).message);
  }
}
