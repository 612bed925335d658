/** The images of docker-compose.yml. */
export const pinnedImages = { mongodb: 'mongo:8.0', nats: 'nats:2.15-alpine' };

/** Where the MongoDB and the NATS of a test run come from. */
export interface ServerChoice {
  /** The address of a server that runs already. */
  mongodbUri: string | undefined;
  natsUrl: string | undefined;
  /**
   * How a server without an address is started: in a container, in a container if that can be done,
   * or as a program of this machine.
   */
  start: 'containers' | 'containers if possible' | 'programs';
  images: typeof pinnedImages;
}

type Environment = Record<string, string | undefined>;

/**
 * Chooses by MONGODB_URI, NATS_URL, TEST_SERVERS, MONGODB_IMAGE and NATS_IMAGE; an empty variable
 * counts as absent. Throws one sentence when they contradict each other.
 */
export function chooseServers(environment: Environment): ServerChoice {
  const { MONGODB_IMAGE: mongodbImage, NATS_IMAGE: natsImage } = environment;
  return {
    mongodbUri: environment.MONGODB_URI || undefined,
    natsUrl: environment.NATS_URL || undefined,
    start: startOf(environment),
    images: {
      mongodb: mongodbImage || pinnedImages.mongodb,
      nats: natsImage || pinnedImages.nats,
    },
  };
}

/** An image that is named is tested, or the run fails: another version in its place would pass. */
function startOf({
  TEST_SERVERS: wanted,
  MONGODB_IMAGE,
  NATS_IMAGE,
}: Environment): ServerChoice['start'] {
  const namesImage = Boolean(MONGODB_IMAGE || NATS_IMAGE);
  if (wanted === 'programs' && namesImage)
    throw new Error(
      'MONGODB_IMAGE and NATS_IMAGE name images for containers: remove them, or TEST_SERVERS=programs.',
    );
  if (wanted === 'programs' || wanted === 'containers') return wanted;
  if (wanted) throw new Error(`TEST_SERVERS is "containers" or "programs", not "${wanted}".`);
  return namesImage ? 'containers' : 'containers if possible';
}
