import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Asks } from '@assay/contracts/define';
import { identity } from '@assay/contracts/identity';
import { createOrganization, keepAdminKey } from '@assay/local/organization';
import { freePort } from '@assay/local/port';
import { startAllServices } from '@assay/local/services';
import { connectBus } from '@assay/runtime/bus/bus';
import type { OperatorConfig, ServiceConfig } from '@assay/runtime/config';
import { createLog } from '@assay/runtime/log';
import type { ScoringSettings } from '@assay/scoring/config';
import { testConfig } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { type Reply, send } from '@assay/testing/reply';
import { sharedInProcess } from '@assay/testing/sharing';
import { root } from '../imports.ts';

export interface CallOptions {
  key?: string | null;
  headers?: Record<string, string>;
  raw?: string | Uint8Array;
}

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  options?: CallOptions,
) => Promise<Reply>;

/** The whole of Assay, as a client reaches it: real gateway, services, MongoDB and NATS. */
export interface SharedInstallation {
  url: string;
  /** Of an admin of the test's own organization. */
  key: string;
  config: ServiceConfig & OperatorConfig;
  call: Call;
  attachmentsFolder: string;
  /** Another organization, with the key of its admin. */
  newOrganization(name: string): Promise<{ key: string }>;
  /** Asks identity as the operator's commands do. */
  asOperator<Result>(work: (ask: Asks<typeof identity>) => Promise<Result>): Promise<Result>;
}

/** One that the test stops. */
export interface Installation extends SharedInstallation, AsyncDisposable {
  /** Of each service's own process, and of the gateway. */
  processUrls: string[];
  stop(): Promise<void>;
}

export interface InstallationOptions {
  scoring?: ScoringSettings;
  /** The base path of the API as clients reach it through a proxy. */
  publicUrl?: string;
}

export async function startInstallation({
  scoring,
  publicUrl,
}: InstallationOptions = {}): Promise<Installation> {
  const config = testConfig();
  const folder = await mkdtemp(join(tmpdir(), 'assay-system-'));
  const attachmentsFolder = join(folder, 'attachments');
  const log = createLog({ name: 'test', level: config.LOG_LEVEL });
  const running = await startAllServices({
    config,
    address: { host: '127.0.0.1', port: await freePort(), hasMcp: true },
    attachmentsFolder,
    settings: {
      gateway: { RATE_LIMIT_PER_MINUTE: 1_000_000, PUBLIC_URL: publicUrl },
      scoring: { CODE_WITHOUT_WALL: true, ...scoring },
    },
    log,
  });
  const { key } = await keepAdminKey({ folder, config, log });
  const asOperator: SharedInstallation['asOperator'] = async (work) => {
    const {
      NATS_URL: urls,
      SUBJECT_PREFIX: prefix,
      ASSAY_OPERATOR_SECRET: operatorSecret,
    } = config;
    const bus = await connectBus({ urls, name: 'operator', prefix, operatorSecret, log });
    try {
      return await work(bus.asks(identity).identity);
    } finally {
      await bus.drain();
    }
  };
  const newOrganization = (name: string) => asOperator((ask) => createOrganization(ask, { name }));
  const stop = async () => {
    await running.stop();
    await dropData(config);
    await rm(folder, { recursive: true });
  };
  const call = callAt(running.url, key);
  return {
    url: running.url,
    key,
    config,
    call,
    attachmentsFolder,
    newOrganization,
    asOperator,
    processUrls: [running.url, ...running.serviceUrls],
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Tests of a part of Assay start services of their own; they come last (scripts/sequencer.ts). */
const isOfPart = (testPath: string): boolean =>
  /^(services|engines|shared)\b/.test(relative(root, testPath));

const installationOfProcess = sharedInProcess(startInstallation, ({ stop }) => stop(), {
  isFor: (testPath) => !isOfPart(testPath),
});

/**
 * Makes an organization on the installation that the files of this process share. For tests that
 * neither stop anything nor look at what other organizations do.
 */
export async function shareInstallation(): Promise<SharedInstallation> {
  const { stop, [Symbol.asyncDispose]: dispose, ...shared } = await installationOfProcess();
  const { key } = await shared.newOrganization('My organization');
  return { ...shared, key, call: callAt(shared.url, key) };
}

/** Calls one gateway with a key. */
export const callAt =
  (url: string, key: string): Call =>
  (method, path, body, { key: as = key, headers = {}, raw } = {}) => {
    const base = /^\/(v2|api|otel)\//.test(path) ? '' : '/v2';
    const bearer: Record<string, string> = as === null ? {} : { authorization: `Bearer ${as}` };
    return send(`${url}${base}${path}`, { method, headers: { ...bearer, ...headers }, body, raw });
  };
