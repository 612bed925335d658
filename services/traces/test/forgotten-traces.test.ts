import { traces } from '@assay/contracts/traces';
import { findPlaces } from '@assay/testing/databases';
import { expect, test } from 'vitest';
import { exportOf, newTraceId, useTraces } from './setting.ts';

const { send, settled, request, world } = useTraces();

test('all traces of a user are erased with their spans and annotations, those of others stay', async () => {
  const [first, second, ofOther] = [newTraceId(), newTraceId(), newTraceId()];
  const spanOf = (traceId: string, user: string) => ({
    traceId,
    attributes: { 'user.id': user, said: `${user} said this` },
  });
  await send(exportOf([spanOf(first, 'ada-77'), spanOf(second, 'ada-77')]));
  await send(exportOf([spanOf(ofOther, 'bob-88')]));
  for (const traceId of [first, second, ofOther]) await settled(traceId);
  await request('POST', `/traces/${first}/annotations`, { comment: 'ada-77 was right' });
  const { MONGODB_URI: uri, DATABASE_PREFIX: prefix } = world().config;
  const places = (text: string) => findPlaces({ uri, prefix, text });
  expect(await places('ada-77')).toEqual([
    'traces.trace_annotations',
    'traces.trace_parts',
    'traces.traces',
  ]);

  const { bus, identity } = world();
  const forget = () => bus.asks(traces).traces.forgetTraces(identity, { userId: 'ada-77' });
  const { places: erased, isDone } = await forget();
  expect([isDone, erased]).toEqual([
    true,
    [
      { place: 'trace_parts', erased: 2, left: 0 },
      { place: 'span_lists', erased: 0, left: 0 },
      { place: 'trace_annotations', erased: 1, left: 0 },
      { place: 'traces', erased: 2, left: 0 },
    ],
  ]);
  expect(await places('ada-77')).toEqual([]);
  expect((await request('GET', `/traces/${ofOther}`)).body).toMatchObject({ userId: 'bob-88' });
  await send(exportOf([spanOf(first, 'ada-77')]));
  expect((await request('GET', `/traces/${first}`)).status).toBe(404);
  expect(await places('ada-77')).toEqual([]);
  expect((await forget()).places.every(({ erased }) => erased === 0)).toBe(true);
});

test('all traces of a session are erased, those of others stay', async () => {
  const [first, ofOther] = [newTraceId(), newTraceId()];
  const spanOf = (traceId: string, session: string) => ({
    traceId,
    attributes: { 'session.id': session },
  });
  await send(exportOf([spanOf(first, 'chat-1'), spanOf(ofOther, 'chat-2')]));
  for (const traceId of [first, ofOther]) await settled(traceId);
  const { bus, identity } = world();
  const { places, isDone } = await bus
    .asks(traces)
    .traces.forgetTraces(identity, { sessionId: 'chat-1' });
  expect([isDone, places.find(({ place }) => place === 'traces')]).toEqual([
    true,
    { place: 'traces', erased: 1, left: 0 },
  ]);
  expect((await request('GET', `/traces/${first}`)).status).toBe(404);
  expect((await request('GET', `/traces/${ofOther}`)).body).toMatchObject({ sessionId: 'chat-2' });
});
