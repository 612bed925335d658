export interface StoredSystem {
  id: string;
  projectId: string;
  name: string;
  description: string;
  productionVersionId: string;
}

/** A version as it is kept: the config as the bytes that were sent. */
export interface StoredVersion {
  id: string;
  projectId: string;
  systemId: string;
  name: string;
  configHash: string;
  config: Uint8Array;
}

export type SystemDocument = Omit<StoredSystem, 'id'> & {
  _id: string;
  organizationId: string;
  touches: number;
  /** Of a project that is being imported, which nobody sees yet. */
  isArriving?: true;
};
export type VersionDocument = Omit<StoredVersion, 'id'> & {
  _id: string;
  organizationId: string;
  isArriving?: true;
};

export const toSystem = (document: SystemDocument | null): StoredSystem | undefined =>
  document
    ? {
        id: document._id,
        projectId: document.projectId,
        name: document.name,
        description: document.description,
        productionVersionId: document.productionVersionId,
      }
    : undefined;

export function toVersion(document: VersionDocument | null): StoredVersion | undefined {
  if (!document) return undefined;
  const { _id, organizationId: _organizationId, isArriving: _isArriving, ...version } = document;
  return { id: _id, ...version };
}
