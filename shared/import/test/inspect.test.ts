import { describe, expect, test } from 'vitest';
import { zipOf } from './archive.ts';
import { faultOf, importFiles } from './imported.ts';
import { archive, header, json, sample } from './inspect.ts';

describe('Inspect', () => {
  const withValue = (id: string, value: unknown, scorer = 'match') =>
    ({ ...sample, id, scores: { [scorer]: { ...sample.scores.match, value } } }) as typeof sample;

  test.each([0, 8, 93] as const)(
    'a log is the same entities as a document and as an archive by method %i',
    async (method) => {
      const document = await importFiles('inspect', {
        'log.eval': { ...header, samples: [sample] },
      });
      expect((await importFiles('inspect', archive([sample], method))).all).toEqual(document.all);
    },
  );

  test('members that zstd really compressed, in two frames, are read', async () => {
    const packed = Buffer.from(
      'KLUv/SA84QEAeyJpZCI6ICJxMSIsICJlcG9jaCI6IDEsICJpbnB1dCI6ICJDYXBpdGFsIG9mIEZyYW5jZT8iLCAidGFyKLUv/SDyxQIA9ANnZXQiOiAiUGFyaXMiLCAib3V0cHV7ImNvbXBsZXRpb25ub3RlICJ9LCAic2NvcmVzbWF0Y2h2YWx1QyJ9fX0IADYjpHVaaFoXpFBw1S5NjRR1qQWTCQ==',
      'base64',
    );
    const note = 'Paris Paris Paris Paris Paris Paris Paris Paris '.repeat(3);
    const bytes = Buffer.from(
      `{"id": "q1", "epoch": 1, "input": "Capital of France?", "target": "Paris", "output": {"completion": "Paris", "note": "${note}"}, "scores": {"match": {"value": "C"}}}`,
    );
    const { of } = await importFiles('inspect', {
      'log.eval': zipOf([
        { name: 'header.json', bytes: json(header), method: 93 },
        { name: 'samples/q1_epoch_1.json', bytes, packed, method: 93 },
      ]),
    });
    expect(of('record')).toMatchObject([
      { clientId: 'inspect:q1:1', outputs: { completion: 'Paris' } },
    ]);
  });

  test('task, model, arguments and steps are the testset, the system and the run', async () => {
    const { of } = await importFiles('inspect', archive([sample]));
    expect(of('testset')).toMatchObject([{ name: 'cities' }]);
    expect(of('system')).toMatchObject([
      {
        name: 'small/one',
        config: {
          model: 'small/one',
          generate: { temperature: 0 },
          taskArgs: { few: 2 },
          steps: header.plan.steps,
          revision: { commit: 'abc' },
        },
      },
    ]);
    expect(of('run')).toMatchObject([
      {
        name: 'capitals · small/one',
        labels: { task: 'capitals', status: 'success', commit: 'abc', importedId: 'ev1' },
        startedAt: '2026-11-24T01:34:47.000Z',
      },
    ]);
  });

  test('input and choices are inputs, the target is expected, the id is the key', async () => {
    const { of } = await importFiles('inspect', archive([sample]));
    expect(of('testcase')).toEqual([
      {
        kind: 'testcase',
        testset: 'testset:1',
        key: 'fr',
        jsonData: {
          input: 'Capital of France?',
          choices: ['Paris', 'Rome'],
          target: 'Paris',
          region: 'eu',
          importedId: 'fr',
        },
      },
    ]);
  });

  test('each epoch is a record of the same testcase, with its usage, and attachments in their place', async () => {
    const { of } = await importFiles('inspect', archive([sample, { ...sample, epoch: 2 }]));
    expect(of('testcase')).toHaveLength(1);
    expect(of('record').map(({ clientId, testcaseKey }) => [clientId, testcaseKey])).toEqual([
      ['inspect:fr:1', 'fr'],
      ['inspect:fr:2', 'fr'],
    ]);
    expect(of('record')[0]).toMatchObject({
      outputs: { completion: 'Paris', answer: 'A', messages: [{ content: 'a long text' }] },
      metrics: { latencyMs: 500, inputTokens: 18, outputTokens: 5 },
    });
  });

  test('C and I are booleans', async () => {
    const { of, scoresOf } = await importFiles('inspect', archive([sample, withValue('jp', 'I')]));
    expect(scoresOf('inspect:fr:1')).toEqual({ match: true });
    expect(scoresOf('inspect:jp:1')).toEqual({ match: false });
    expect(of('score')[0]!.score).toEqual({ binaryScore: true, reasoning: 'same' });
  });

  test('with one P, all are floats', async () => {
    const { of, scoresOf } = await importFiles('inspect', archive([sample, withValue('jp', 'P')]));
    expect(of('metric')[0]!.body.outputType).toBe('float');
    expect(scoresOf('inspect:fr:1')).toEqual({ match: 1 });
    expect(scoresOf('inspect:jp:1')).toEqual({ match: 0.5 });
  });

  test('N does not apply', async () => {
    const { of } = await importFiles('inspect', archive([sample, withValue('jp', 'N')]));
    expect(of('score')[1]!.score).toEqual({ value: null, reasoning: 'same' });
  });

  test('numbers of 0 to 1 are floats, a dict is a metric a key, words stay behind', async () => {
    const samples = [
      withValue('a', 0.25, 'share'),
      withValue('b', { x: 1, y: 0.5 }, 'parts'),
      withValue('c', 'fine', 'word'),
      withValue('d', 7, 'points'),
    ];
    const { scoresOf, reasons } = await importFiles('inspect', archive(samples));
    expect(scoresOf('inspect:a:1')).toEqual({ share: 0.25 });
    expect(scoresOf('inspect:b:1')).toEqual({ 'parts: x': true, 'parts: y': 0.5 });
    expect(reasons).toEqual([
      'The scorer "word" gave a word, which is no score here.',
      'The scores of "points" lie between 7 and 7, and the file does not say on which scale: they stay behind.',
    ]);
  });

  test('a bare NaN is a sample that was not scored', async () => {
    const text = JSON.stringify({ ...header, samples: [sample] }).replace(
      '"value":"C"',
      '"value":NaN',
    );
    const { of, reasons } = await importFiles('inspect', { 'log.json': text });
    expect(of('score')).toEqual([]);
    expect(reasons).toEqual(['NaN and Infinity are no numbers of JSON: they became null.']);
  });

  test('the newest value of an edited score counts, and earlier ones are annotations', async () => {
    const edited = structuredClone(sample);
    Object.assign(edited.scores.match, { history: [{ value: 'I' }, { value: 'C' }] });
    const { of } = await importFiles('inspect', archive([edited]));
    expect(of('annotation')).toMatchObject([
      { record: 'inspect:fr:1', comment: 'match was "I" before it was edited.' },
    ]);
  });

  test('a run that did not end is imported, labelled and noted; an error is tagged', async () => {
    const stack = 'Traceback (most recent call last):\nMemoryError';
    const failed = { ...sample, error: { message: 'MemoryError()', traceback: stack } };
    const start = Buffer.from(JSON.stringify({ version: 2, eval: header.eval, plan: header.plan }));
    const { of, reasons } = await importFiles('inspect', {
      'log.eval': zipOf([
        { name: '_journal/start.json', bytes: start, method: 93 },
        { name: 'samples/fr_epoch_1.json', bytes: json(failed), method: 93 },
      ]),
    });
    expect(of('run')[0]!.labels.status).toBe('started');
    expect(of('record')[0]).toMatchObject({
      error: { name: 'MemoryError', message: 'MemoryError()', stack },
      tags: [],
    });
    expect(reasons).toEqual(['The run did not end (status "started"): it is incomplete.']);
  });

  test('an archive that is cut off, of something else, or of a later version is refused', async () => {
    const whole = archive([sample])['log.eval'];
    expect(await faultOf('inspect', { 'log.eval': whole.subarray(0, whole.length / 2) })).toContain(
      'it is cut off',
    );
    expect(
      await faultOf('inspect', { 'x.zip': zipOf([{ name: 'a.txt', bytes: json(1) }]) }),
    ).toContain('x.zip: is a zip archive, but no log of Inspect');
    expect(await faultOf('inspect', archive([sample], 93, { ...header, version: 3 }))).toContain(
      'of version 1 or 2',
    );
  });
});
