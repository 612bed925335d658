import type { Identity } from '@assay/contracts/define';
import type { Issue } from '@assay/contracts/failure';
import type { JsonText } from '@assay/contracts/payload';
import type { Change, Store, StoredTestcase } from '../store.ts';
import type { Definition } from './definitions.ts';

export interface KeyedData {
  key: string;
  jsonData: JsonText;
}

/** Creates testcases for services that may ask for the same ones again. */
export function createCreationByKey({
  store,
  definitionOf,
  show,
  newId,
  changeOf,
}: {
  store: Store;
  definitionOf: (identity: Identity, testsetId: string) => Promise<Definition>;
  show: (
    definition: Definition,
    stored: StoredTestcase[],
  ) => Promise<{ jsonData: JsonText; validationErrors?: Issue[] }[]>;
  newId: () => string;
  changeOf: (identity: Identity) => Change;
}) {
  return {
    /** A testcase that has the key of an item stays as it is, and is the item's testcase. */
    async createByKey(
      identity: Identity,
      testsetId: string,
      { items, isDryRun }: { items: KeyedData[]; isDryRun: boolean },
    ) {
      const { organizationId } = identity;
      const definition = await definitionOf(identity, testsetId);
      const entries = items.map(({ key, jsonData }) => ({
        id: newId(),
        testsetId: definition.id,
        key,
        jsonData: jsonData.bytes,
      }));
      const written = isDryRun
        ? await store.planEntries(organizationId, definition.id, entries)
        : await store.writeEntries(organizationId, definition.id, entries, {
            change: changeOf(identity),
          });
      // One that was there stays as it is, so it is shown as it is, and not as it would have been made.
      const keptIds = isDryRun
        ? []
        : written.flatMap(({ id, outcome }) => (outcome === 'created' ? [] : [id]));
      const kept = new Map<string, Uint8Array>();
      if (keptIds.length > 0)
        for await (const { id, jsonData } of store.readTestcases(
          organizationId,
          definition.id,
          keptIds,
        ))
          kept.set(id, jsonData);
      const shown = await show(
        definition,
        entries.map((entry, at) => ({
          ...entry,
          jsonData: kept.get(written[at]!.id) ?? entry.jsonData,
        })),
      );
      return {
        items: shown.map(({ jsonData, validationErrors }, at) => {
          const { id, outcome } = written[at]!;
          const created = outcome === 'created';
          return {
            id: created && isDryRun ? null : id,
            created: created && !isDryRun,
            jsonData,
            ...(validationErrors ? { validationErrors } : {}),
          };
        }),
      };
    },
  };
}
