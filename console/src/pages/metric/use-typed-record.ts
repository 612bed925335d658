import { useState } from 'react';
import { useReading } from '../../api/query.ts';
import { inShort } from '../../text/json.ts';
import type { RecordValues, Testset } from './names.ts';
import { outputsOf } from './typed-outputs.ts';

/** Testcases that are offered, and the characters by which a person knows one. */
const testcasesShown = 50;
const nameCharacters = 120;

/** A testcase with an answer that is typed: a metric is tried on it before there is a run. */
export function useTypedRecord(testset: Testset | undefined, outputName: string) {
  const [chosenId, choose] = useState<string>();
  const [answer, type] = useState('');
  const testsetId = testset?.id;
  const listed = useReading('/testsets/:testsetId/testcases', {
    params: { testsetId: testsetId ?? '' },
    query: { limit: testcasesShown, preview: nameCharacters },
    isEnabled: testsetId !== undefined,
  });
  const testcases = listed.data?.data ?? [];
  const testcaseId = testcases.find(({ id }) => id === chosenId)?.id ?? testcases[0]?.id;
  const testcase = useReading('/testcases/:testcaseId', {
    params: { testcaseId: testcaseId ?? '' },
    isEnabled: testcaseId !== undefined,
  });
  const outputs = outputsOf(answer, outputName);
  const record = testcase.data && {
    inputs: testcase.data.inputs,
    expected: testcase.data.expected,
    outputs,
  };
  return {
    testcases: testcases.map(({ id, inputs }) => ({ id, name: inShort(inputs) || id })),
    testcaseId,
    choose,
    answer,
    type,
    /** The name of the output that the typed text is, unless that is an object. */
    outputName,
    record,
    values: (testcase.data
      ? { inputs: testcase.data.inputs, expected: testcase.data.expected }
      : {}) as RecordValues,
    isReading:
      testsetId !== undefined &&
      (listed.isPending || (testcaseId !== undefined && testcase.isPending)),
    error: listed.error ?? testcase.error,
    retry: () => void Promise.all([listed.refetch(), testcase.refetch()]),
  };
}

export type TypedRecord = ReturnType<typeof useTypedRecord>;
