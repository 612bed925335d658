import type { catalog } from '@assay/contracts/catalog';
import type { Asks, Identity, Request } from '@assay/contracts/define';
import { conflict, Failure, invalidAt, notFound } from '@assay/contracts/failure';
import type { WantedNames } from '@assay/contracts/names';
import type { PageRequest } from '@assay/contracts/page';
import { JsonText } from '@assay/contracts/payload';
import type { systems } from '@assay/contracts/systems';
import { type Config, describeConfig } from './domain/config.ts';
import { createSystemPart } from './domain/project-part.ts';
import type { Store, StoredSystem, StoredVersion } from './store.ts';

interface Dependencies {
  store: Store;
  ask: { catalog: Asks<typeof catalog> };
  newId: () => string;
}

type Operations = (typeof systems)['operations'];
type SystemBody = Request<Operations['upsertSystem']>['body'];
type SystemChange = Request<Operations['updateSystem']>['body'];
type VersionBody = Request<Operations['upsertSystemVersion']>['body'];

export type Domain = ReturnType<typeof createDomain>;

/** The rules of systems and their versions (contract section 2). */
export function createDomain({ store, ask, newId }: Dependencies) {
  async function checkProject(identity: Identity, projectId: string): Promise<void> {
    const { found } = await ask.catalog.project(identity, { projectId });
    if (!found) throw notFound('project', projectId);
  }

  async function systemOf({ organizationId }: Identity, id: string): Promise<StoredSystem> {
    const system = await store.findSystem(organizationId, id);
    if (!system) throw notFound('system', id);
    return system;
  }

  /** Systems with their versions. One whose project is being deleted at this moment is left out. */
  async function repliesFor({ organizationId }: Identity, found: StoredSystem[]) {
    // One after the other: a transaction takes no two calls at once.
    const names = await store.listVersionNames(
      organizationId,
      found.map(({ id }) => id),
    );
    const production = await store.findVersions(
      organizationId,
      found.map(({ productionVersionId }) => productionVersionId),
    );
    const versionById = new Map(production.map((version) => [version.id, version]));
    return found.flatMap(({ id, name, description, productionVersionId }) => {
      const version = versionById.get(productionVersionId);
      return version
        ? [
            {
              id,
              name,
              description,
              productionVersion: toReply(version),
              versions: names.get(id) ?? [],
            },
          ]
        : [];
    });
  }

  async function replyFor(identity: Identity, system: StoredSystem) {
    const [reply] = await repliesFor(identity, [system]);
    if (!reply) throw notFound('system', system.id);
    return reply;
  }

  /**
   * The version with this config, created if there is none. The system must be claimed, so that
   * nobody else creates one meanwhile.
   */
  async function versionFor(
    { organizationId }: Identity,
    system: Pick<StoredSystem, 'id' | 'projectId'>,
    config: Config,
    name?: string,
  ) {
    const existing = await store.findVersionByConfig(organizationId, system.id, config.hash);
    if (existing) {
      if (name === undefined || name === existing.name) return existing;
      await store.renameVersion(organizationId, existing.id, name);
      return { ...existing, name };
    }
    const version: StoredVersion = {
      id: newId(),
      projectId: system.projectId,
      systemId: system.id,
      name: name ?? (await freeVersionName(organizationId, system.id)),
      configHash: config.hash,
      config: config.bytes,
    };
    await store.createVersion(organizationId, version);
    return version;
  }

  async function freeVersionName(organizationId: string, systemId: string): Promise<string> {
    let number = (await store.countVersions(organizationId, systemId)) + 1;
    while (await store.isVersionName(organizationId, systemId, `Version ${number}`)) number++;
    return `Version ${number}`;
  }

  /**
   * Whether the project's system of this name is as the request wants it, so that repeats write
   * nothing and wait for nobody.
   */
  async function isAsWanted(
    { organizationId }: Identity,
    system: StoredSystem,
    description: string | undefined,
    hash: string,
  ) {
    if (description !== undefined && description !== system.description) return false;
    const version = await store.findVersionByConfig(organizationId, system.id, hash);
    return version?.id === system.productionVersionId;
  }

  async function createSystem(
    identity: Identity,
    projectId: string,
    { name, description = '' }: SystemBody,
    config: Config,
  ) {
    const id = newId();
    const version = await versionFor(identity, { id, projectId }, config);
    const system = { id, projectId, name, description, productionVersionId: version.id };
    await store.createSystem(identity.organizationId, system);
    return system;
  }

  async function updateFound(
    identity: Identity,
    found: StoredSystem,
    description: string | undefined,
    config: Config,
  ) {
    const system = await store.claimSystem(identity.organizationId, found.id);
    if (!system) throw notFound('system', found.id);
    const version = await versionFor(identity, system, config);
    const changed = {
      ...system,
      description: description ?? system.description,
      productionVersionId: version.id,
    };
    await store.updateSystem(identity.organizationId, changed);
    return changed;
  }

  return {
    systemPart: createSystemPart({ store }),
    async upsertSystem(identity: Identity, projectId: string, body: SystemBody) {
      await checkProject(identity, projectId);
      const { organizationId } = identity;
      const config = describeConfig(body.config);
      const before = await store.findSystemByName(organizationId, projectId, body.name);
      if (before && (await isAsWanted(identity, before, body.description, config.hash)))
        return { created: false, value: await replyFor(identity, before) };
      return store.transaction(async () => {
        if (!(await store.claimName(organizationId, projectId, body.name)))
          throw notFound('project', projectId);
        const existing = await store.findSystemByName(organizationId, projectId, body.name);
        const system = existing
          ? await updateFound(identity, existing, body.description, config)
          : await createSystem(identity, projectId, body, config);
        return { created: !existing, value: await replyFor(identity, system) };
      });
    },
    async listSystems(identity: Identity, projectId: string, page: PageRequest) {
      await checkProject(identity, projectId);
      const { items, next } = await store.listSystems(identity.organizationId, projectId, page);
      return { items: await repliesFor(identity, items), next };
    },
    async getSystem(identity: Identity, id: string) {
      return replyFor(identity, await systemOf(identity, id));
    },
    async updateSystem(identity: Identity, id: string, change: SystemChange) {
      const { organizationId } = identity;
      const { projectId } = await systemOf(identity, id);
      return store.transaction(async () => {
        if (change.name !== undefined)
          await store.claimName(organizationId, projectId, change.name);
        const system = await store.claimSystem(organizationId, id);
        if (!system) throw notFound('system', id);
        await checkName(organizationId, system, change.name);
        await checkOwnVersion(organizationId, system, change.productionVersionId);
        const changed = { ...system, ...change };
        await store.updateSystem(organizationId, changed);
        return replyFor(identity, changed);
      });
    },
    async deleteSystem({ organizationId }: Identity, id: string) {
      if (!(await store.deleteSystem(organizationId, id))) throw notFound('system', id);
      return { success: true as const };
    },
    async upsertVersion(identity: Identity, systemId: string, body: VersionBody) {
      const { organizationId } = identity;
      const config = describeConfig(body.config);
      await systemOf(identity, systemId);
      const before = await store.findVersionByConfig(organizationId, systemId, config.hash);
      if (before && (body.name === undefined || body.name === before.name)) return toReply(before);
      return store.transaction(async () => {
        const system = await store.claimSystem(organizationId, systemId);
        if (!system) throw notFound('system', systemId);
        return toReply(await versionFor(identity, system, config, body.name));
      });
    },
    async getVersion({ organizationId }: Identity, id: string) {
      const version = await store.findVersion(organizationId, id);
      if (!version) throw notFound('system version', id);
      return toReply(version);
    },
    async simulateAgent(): Promise<never> {
      throw new Failure(
        'GONE',
        'Agents are no longer simulated here. Run the system yourself and create records in a run.',
      );
    },

    async findVersion({ organizationId }: Identity, id: string) {
      const version = await store.findVersion(organizationId, id);
      if (!version) return { outcome: 'missing' as const };
      const { systemId, projectId, name } = version;
      return { outcome: 'found' as const, systemId, projectId, name };
    },
    names: ({ organizationId }: Identity, wanted: WantedNames) =>
      store.names.find(organizationId, wanted),
    async forgetProject({ organizationId }: Identity, projectId: string) {
      await store.transaction(() => store.forgetProject(organizationId, projectId));
      return {};
    },
  };

  async function checkName(
    organizationId: string,
    { id, projectId }: StoredSystem,
    name: string | undefined,
  ): Promise<void> {
    const holder =
      name === undefined
        ? undefined
        : await store.findSystemByName(organizationId, projectId, name);
    if (holder && holder.id !== id)
      throw conflict(`Another system of the project has the name "${name}".`);
  }

  async function checkOwnVersion(
    organizationId: string,
    { id }: StoredSystem,
    versionId: string | undefined,
  ): Promise<void> {
    const version =
      versionId === undefined ? undefined : await store.findVersion(organizationId, versionId);
    if (versionId !== undefined && version?.systemId !== id)
      throw invalidAt('/productionVersionId', 'must be a version of this system');
  }
}

const toReply = ({ id, systemId, name, config }: StoredVersion) => ({
  id,
  systemId,
  name,
  config: new JsonText(config),
});
