import { identity } from '@assay/contracts/identity';
import { sessions } from '@assay/contracts/sessions';
import { newId } from '@assay/runtime/ids';
import type { Log } from '@assay/runtime/log';
import { createOrganizationLimits } from '@assay/runtime/organization-limits';
import { createOrganizationSuspensions } from '@assay/runtime/organization-suspensions';
import { type RunningService, startService } from '@assay/runtime/service';
import { ownKeys } from '@assay/runtime/signature';
import { createAnswers, createSubscriptions } from './bus.ts';
import type { SessionsConfig } from './config.ts';
import { createByteQuota } from './domain/byte-quota.ts';
import { createBytes } from './domain/bytes.ts';
import { createAttachmentPart } from './domain/project-part.ts';
import { createDomain } from './domain.ts';
import { migrations } from './migrations.ts';
import { createRoutes } from './routes.ts';
import { createSignedUrls } from './signed-urls.ts';
import { createStorage } from './storage.ts';
import { createStore } from './store.ts';
import { createSweep } from './sweep.ts';

/** Files that belong to a session. */
export function start(config: SessionsConfig, log?: Log): Promise<RunningService> {
  return startService({
    contract: sessions,
    config,
    migrations,
    ownerships: {
      attachments: 'organizationId',
      contents: 'organizationId',
      arriving_attachments: 'organizationId',
      declarations: (organizationId) => ({ _id: organizationId }),
    },
    log,
    compose: ({ database, bus, keys, log }) => {
      const limitOf = createOrganizationLimits({ bus, keeper: identity });
      const isSuspended = createOrganizationSuspensions({ bus, keeper: identity });
      const clock = () => new Date();
      const publicUrl = config.STORAGE === 's3' ? '' : config.PUBLIC_URL;
      const urls = createSignedUrls({ keys: () => ownKeys(keys), publicUrl, clock });
      const storage = createStorage(config, urls);
      const store = createStore(database);
      const sweep = createSweep({ store, storage, clock, log });
      const aside = (what: string, work: () => Promise<void>) =>
        void work().catch((error) => log.warn({ err: error }, `${what} is left to the next sweep`));
      const byteQuota = createByteQuota({
        store,
        attachedBytesMax: limitOf('attachmentsBytesMax', config.ATTACHMENTS_BYTES_MAX),
        clock,
      });
      const domain = createDomain({
        store,
        storage,
        byteQuota,
        sweepSoon: sweep.wake,
        aside,
        clock,
        newId,
      });
      const bytes = createBytes({ store, storage, urls, isSuspended, clock });
      const attachmentPart = createAttachmentPart({
        store,
        storage,
        byteQuota,
        sweepSoon: sweep.wake,
        clock,
        newId,
      });
      return {
        routes: createRoutes(domain, bytes, attachmentPart),
        answers: createAnswers(byteQuota, domain),
        folders: [{ place: 'files of attachments', count: storage.count, erase: storage.erase }],
        subscriptions: createSubscriptions(attachmentPart),
        started: sweep.start,
        stop: sweep.stop,
      };
    },
  });
}
