import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, RequestFailure } from '@assay/client/client';
import type { StartedDeviceLogin } from '@assay/contracts/identity';
import { pageOf, showInBrowser } from './console-page.ts';
import { CommandFailure } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** A server that asks for more patience gets so much more with each answer, in seconds (RFC 8628, section 3.5). */
const slowerSeconds = 5;

/**
 * Gets a key of whoever approves it in the console.
 * @param client of the server, without a key.
 * @throws CommandFailure where it is denied or not approved in time, or the server knows no such login.
 */
export async function logInByCode(
  client: Client,
  { url, terminal }: { url: string; terminal: Terminal },
): Promise<string> {
  const { deviceCode, userCode, verificationPath, expiresInSeconds, intervalSeconds } = await begin(
    client,
    url,
  );
  const address = pageOf(url, verificationPath);
  terminal.say(`Approve this login in the console, where you are signed in: ${address}`);
  terminal.say(`The page must show the code ${userCode}. Ctrl-C gives up.`);
  await showInBrowser(terminal, address);
  const deadline = performance.now() + expiresInSeconds * 1000;
  let seconds = intervalSeconds;
  while (performance.now() < deadline) {
    await pause(seconds * 1000);
    const answer = await askForKey(client, deviceCode);
    if (answer.key !== undefined) return answer.key;
    if (answer.isTooSoon) seconds += slowerSeconds;
  }
  throw notApproved();
}

async function begin(client: Client, url: string): Promise<StartedDeviceLogin> {
  try {
    return await client.request('POST', '/session/device', {
      body: { clientName: nameOf(hostname()) },
    });
  } catch (error) {
    // Servers of the first releases have no such path.
    if (error instanceof RequestFailure && error.code === 'NOT_FOUND')
      throw new CommandFailure(
        `The server at ${url} is too old for a login in the console. Make a key there (Settings, Keys), and give it: assay login --key -`,
      );
    throw error;
  }
}

interface DeviceAnswer {
  key?: string;
  isTooSoon?: boolean;
}

/** Asks once. A server that is away, busy or starts again is asked again like one that waits. */
async function askForKey(client: Client, deviceCode: string): Promise<DeviceAnswer> {
  try {
    return await client.request('POST', '/session/device/token', {
      body: { deviceCode },
    });
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
    const { status, code } = error;
    if (code === 'AUTHORIZATION_PENDING') return {};
    if (code === 'SLOW_DOWN') return { isTooSoon: true };
    if (code === 'ACCESS_DENIED')
      throw new CommandFailure('The login was denied in the console. No key is stored.');
    if (code === 'EXPIRED_TOKEN') throw notApproved();
    if (status === undefined || status === 429 || status >= 500) return {};
    throw error;
  }
}

const notApproved = (): CommandFailure =>
  new CommandFailure(
    'The login was not approved in time. No key is stored: run assay login again.',
  );

/** The name of the host, as the server takes it. */
export function nameOf(host: string): string {
  const plain = host.replaceAll(/[^\w .'()-]/g, '-').replace(/^[^\w(]+/, '');
  return plain.slice(0, 100) || 'a computer';
}
