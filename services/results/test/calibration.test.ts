import { describe, expect, test } from 'vitest';
import { calibrate, type JudgedTestcase } from '../src/domain/calibration.ts';

const bounds = { level: 0.95, scale: { low: -1, high: 1 }, errorMax: 1 };

/** Testcases of which a judge finds most changes; those whose place `isLabelled` have a label. */
const testcasesOf = (count: number, isLabelled: (place: number) => boolean): JudgedTestcase[] =>
  Array.from({ length: count }, (_, place) => {
    const truth = [1, 0, 0, -1, 0, 0, 0, 1][place % 8]!;
    return {
      testcaseId: `t${place}`,
      judged: place % 5 === 0 ? 0 : truth,
      label: isLabelled(place) ? truth : undefined,
    };
  });

describe('the calibration of a judge', () => {
  test('takes labels that nobody drew as drawn alike', () => {
    const testcases = testcasesOf(200, (place) => place < 40);
    const alike = new Map(testcases.map(({ testcaseId }) => [testcaseId, 0.2]));
    const { figures, ...counts } = calibrate(testcases, bounds);
    expect(counts).toMatchObject({ labels: 40, labelsWereDrawn: false, isPartial: true });
    expect(figures).toEqual(calibrate(testcases, { ...bounds, probabilities: alike }).figures);
  });

  test('counts only the labels that were drawn where some were', () => {
    const testcases = testcasesOf(200, (place) => place < 100);
    const drawn = new Map(testcases.slice(0, 40).map(({ testcaseId }) => [testcaseId, 0.5]));
    const calibration = calibrate(testcases, { ...bounds, probabilities: drawn });
    expect(calibration).toMatchObject({ labels: 40, labelsWereDrawn: true });
    const withoutOthers = testcasesOf(200, (place) => place < 40);
    expect(calibration.figures).toEqual(
      calibrate(withoutOthers, { ...bounds, probabilities: drawn }).figures,
    );
  });

  test('lets a label count more the less likely it was drawn', () => {
    const testcases = testcasesOf(200, (place) => place < 40);
    const gainsAreRare = new Map(
      testcases.map(({ testcaseId, label }) => [testcaseId, label === 1 ? 0.1 : 0.4]),
    );
    const weighted = calibrate(testcases, { ...bounds, probabilities: gainsAreRare }).figures!;
    const { figures } = calibrate(testcases, bounds);
    expect(weighted.estimate).toBeGreaterThan(figures!.estimate);
  });

  test('draws and labels of other testcases change nothing', () => {
    const testcases = testcasesOf(200, (place) => place < 40);
    const elsewhere = new Map([['other', 0.5]]);
    expect(calibrate(testcases, { ...bounds, probabilities: elsewhere })).toEqual(
      calibrate(testcases, bounds),
    );
  });

  test('says nothing with fewer than 30 labels, or labels of fewer than ten groups', () => {
    const few = calibrate(
      testcasesOf(200, (place) => place < 29),
      bounds,
    );
    expect(few).toMatchObject({ labels: 29 });
    expect(few.figures).toBeUndefined();
    const testcases = testcasesOf(200, (place) => place < 40);
    const groupsOf = (count: number) =>
      new Map(testcases.map(({ testcaseId }, place) => [testcaseId, place % count]));
    const inNine = calibrate(testcases, { ...bounds, groups: groupsOf(9) });
    expect(inNine).toMatchObject({ labels: 40, labelledGroups: 9 });
    expect(inNine.figures).toBeUndefined();
    expect(calibrate(testcases, { ...bounds, groups: groupsOf(10) }).figures).toBeDefined();
  });

  test('has a wider interval where testcases come in groups that rise and fall together', () => {
    const testcases = testcasesOf(400, (place) => place < 200);
    const widthOf = (groups: Map<string, number> | undefined) => {
      const { interval } = calibrate(testcases, { ...bounds, groups }).figures!;
      return interval.high - interval.low;
    };
    const alike = new Map(
      testcases.map(({ testcaseId }, place) => [testcaseId, (place % 8) * 5 + (place % 5)]),
    );
    expect(widthOf(alike)).toBeGreaterThan(1.5 * widthOf(undefined));
  });
});
