import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import { JsonText } from '@assay/contracts/payload';
import {
  type ExportedPart,
  type LineToWrite,
  lineFormat,
  lineSchemas,
  sweptAway,
} from '@assay/contracts/project-file';
import { createLineWriter, linesReply } from '@assay/runtime/http/lines';
import { createLineReader } from '@assay/runtime/uploads/line-reader';
import type { Store, StoredSystem, StoredVersion } from '../store.ts';
import { describeConfig } from './config.ts';

const { system, systemVersion } = lineSchemas;
const write = createLineWriter({ system, systemVersion });
const read = createLineReader({ schemas: { system, systemVersion }, ...lineFormat });

/** Hands out the systems of a project, and takes those of one that is being imported. */
export function createSystemPart({ store }: { store: Store }) {
  async function* systemsOf(
    { organizationId }: Identity,
    projectId: string,
  ): AsyncGenerator<LineToWrite<'system'>> {
    for await (const system of store.parts.listSystems(organizationId, projectId)) {
      const { id, name, description, productionVersionId } = system;
      yield { kind: 'system', id, name, description, productionVersionId };
    }
  }

  /** Those of deleted systems too, since runs still name them. */
  async function* versionsOf(
    { organizationId }: Identity,
    projectId: string,
  ): AsyncGenerator<LineToWrite<'systemVersion'>> {
    for await (const version of store.parts.listVersions(organizationId, projectId)) {
      const { id, systemId, name, config } = version;
      yield { kind: 'systemVersion', id, systemId, name, config: new JsonText(config) };
    }
  }

  return {
    async exportPart(identity: Identity, { kind, of: projectId }: ExportedPart) {
      const lines =
        kind === 'system'
          ? write(systemsOf(identity, projectId))
          : write(versionsOf(identity, projectId));
      return linesReply(lines);
    },

    async restorePart(
      { organizationId }: Identity,
      projectId: string,
      stream: AsyncIterable<Uint8Array>,
    ) {
      const systems: StoredSystem[] = [];
      const versions: StoredVersion[] = [];
      for await (const line of read(stream)) {
        if (line.kind === 'system') {
          const { kind: _kind, ...system } = line;
          systems.push({ ...system, projectId });
        } else {
          const { kind: _kind, config: sent, ...version } = line;
          const { bytes, hash } = describeConfig(sent);
          versions.push({ ...version, projectId, config: bytes, configHash: hash });
        }
      }
      const outcome = await store.parts.add(organizationId, projectId, { systems, versions });
      if (outcome === 'gone') throw sweptAway();
      if (outcome === 'taken')
        throw invalidAt(
          '',
          'has the name of another system of the project, or the config of another version',
        );
      return { lines: systems.length + versions.length };
    },

    async revealPart({ organizationId }: Identity, projectId: string) {
      await store.parts.reveal(organizationId, projectId);
      return {};
    },
  };
}
