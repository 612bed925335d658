import { expect, test } from 'vitest';
import { chooseServers, pinnedImages } from '../server-choice.ts';

test('servers are started in containers of the pinned images if possible', () => {
  expect(chooseServers({})).toEqual({ start: 'containers if possible', images: pinnedImages });
});

test('servers are used where their addresses are given', () => {
  const addresses = { MONGODB_URI: 'mongodb://127.0.0.1:1', NATS_URL: 'nats://127.0.0.1:2' };
  expect(chooseServers(addresses)).toMatchObject({
    mongodbUri: addresses.MONGODB_URI,
    natsUrl: addresses.NATS_URL,
  });
});

test.each(['containers', 'programs'] as const)('TEST_SERVERS demands %s', (start) => {
  expect(chooseServers({ TEST_SERVERS: start }).start).toBe(start);
});

test('an image that is named is tested in a container, and by no program in its place', () => {
  expect(chooseServers({ MONGODB_IMAGE: 'mongo:7.0' })).toMatchObject({
    start: 'containers',
    images: { mongodb: 'mongo:7.0', nats: pinnedImages.nats },
  });
  expect(chooseServers({ NATS_IMAGE: 'nats:2.12' })).toMatchObject({
    start: 'containers',
    images: { mongodb: pinnedImages.mongodb, nats: 'nats:2.12' },
  });
});

test('an empty variable counts as absent, as a matrix of CI leaves it', () => {
  const empty = {
    TEST_SERVERS: '',
    MONGODB_URI: '',
    NATS_URL: '',
    MONGODB_IMAGE: '',
    NATS_IMAGE: '',
  };
  expect(chooseServers(empty)).toEqual(chooseServers({}));
});

test('variables that contradict each other are refused with a sentence that names them', () => {
  expect(() => chooseServers({ TEST_SERVERS: 'docker' })).toThrow(
    'TEST_SERVERS is "containers" or "programs", not "docker".',
  );
  expect(() => chooseServers({ TEST_SERVERS: 'programs', NATS_IMAGE: 'nats:2.12' })).toThrow(
    /^MONGODB_IMAGE and NATS_IMAGE .* TEST_SERVERS=programs/,
  );
});
