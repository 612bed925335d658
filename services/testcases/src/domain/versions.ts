import type { Identity } from '@assay/contracts/define';
import { Failure, invalidAt, notFound } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import { JsonText } from '@assay/contracts/payload';
import type { Change, Store, StoredTestcase, StoredVersion } from '../store.ts';
import type { Definition, Definitions } from './definitions.ts';
import { keyTaken } from './keys.ts';
import type { ShownTestcase } from './shown-testcase.ts';

/** Times that a restore looks at a testcase which others delete and restore. */
const triesMax = 5;

interface Dependencies {
  store: Store;
  definitions: Definitions;
  changeOf: (identity: Identity) => Change;
  deletedDays: number;
  show: (definition: Definition, testcase: StoredTestcase) => Promise<ShownTestcase>;
}

/** The data that a testcase had before its changes, and the way back to it. */
export function createVersions({ store, definitions, changeOf, deletedDays, show }: Dependencies) {
  const goneOrNever = (id: string): Failure =>
    new Failure(
      'NOT_FOUND',
      `There is no testcase with this id. One that was deleted can be restored for ${deletedDays} days.`,
      { details: { resource: 'testcase', id } },
    );

  /** Returns the definition of a testset; one that was deleted took its testcases with it. */
  async function definitionOf(identity: Identity, id: string, testsetId: string) {
    const definition = await definitions.find(identity, testsetId);
    if (!definition) throw notFound('testcase', id);
    return definition;
  }

  /** Returns undefined where somebody else deleted it meanwhile. */
  async function restoreLive(
    identity: Identity,
    live: StoredTestcase,
    { jsonData }: StoredVersion,
  ): Promise<StoredTestcase | undefined> {
    const { organizationId } = identity;
    const change = changeOf(identity);
    const outcome = await store.updateTestcase(organizationId, live.id, { jsonData }, change);
    return outcome === 'missing' ? undefined : { ...live, jsonData };
  }

  /** Returns undefined where somebody else restored it meanwhile. */
  async function restoreDeleted(
    identity: Identity,
    { testcaseId, testsetId, key, jsonData }: StoredVersion,
  ): Promise<StoredTestcase | undefined> {
    const { organizationId } = identity;
    const outcome = await store.restoreDeleted(
      organizationId,
      testcaseId,
      jsonData,
      changeOf(identity),
    );
    if (outcome === 'missing') return undefined;
    if (outcome === 'taken') throw keyTaken({ place: '/version' });
    const restored = await store.findTestcase(organizationId, testcaseId);
    return restored ?? { id: testcaseId, testsetId, key, jsonData };
  }

  /**
   * A testcase that was deleted comes back; one that is there gets the data as by an update. Where
   * somebody else deletes or restores it meanwhile, it is looked at again.
   */
  async function restoreVersion(
    identity: Identity,
    id: string,
    number: number,
    triesLeft = triesMax,
  ): Promise<ShownTestcase> {
    const { organizationId } = identity;
    const [live, version] = await Promise.all([
      store.findTestcase(organizationId, id),
      store.findVersion(organizationId, id, number),
    ]);
    const place = live ?? version ?? (await store.listVersions(organizationId, id, first)).items[0];
    if (!place || triesLeft === 0) throw goneOrNever(id);
    const definition = await definitionOf(identity, id, place.testsetId);
    if (!version)
      throw invalidAt(
        '/version',
        (await store.presentVersion(organizationId, id)) === number
          ? 'is the version that the testcase has already'
          : 'is not a version of this testcase that is kept',
      );
    const restored = await (live
      ? restoreLive(identity, live, version)
      : restoreDeleted(identity, version));
    return restored
      ? show(definition, restored)
      : restoreVersion(identity, id, number, triesLeft - 1);
  }

  return {
    async listVersions(
      identity: Identity,
      id: string,
      page: PageRequest,
    ): Promise<Page<ReturnType<typeof toShownVersion>>> {
      const { organizationId } = identity;
      const { items, next } = await store.listVersions(organizationId, id, page);
      const place = items[0] ?? (await store.findTestcase(organizationId, id));
      if (!place) throw goneOrNever(id);
      await definitionOf(identity, id, place.testsetId);
      return { items: items.map(toShownVersion), next };
    },
    restoreVersion: (identity: Identity, id: string, number: number): Promise<ShownTestcase> =>
      restoreVersion(identity, id, number),
  };
}

const first = { limit: 1, after: undefined };

const toShownVersion = ({
  testcaseId,
  version,
  key,
  jsonData,
  since,
  change,
  at,
  userId,
}: StoredVersion) => ({
  testcaseId,
  version,
  ...(key === undefined ? {} : { key }),
  jsonData: new JsonText(jsonData),
  createdAt: since.toISOString(),
  change,
  changedAt: at.toISOString(),
  changedByUserId: userId,
});
