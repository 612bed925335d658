import { type SpansOfLogs, spanOfLogRecord } from '../log-record.ts';
import { countMessage } from '../protobuf/messages.ts';
import { idOf, member, textOf } from './members.ts';
import { readBatchesOfJson, timeOf } from './read-spans.ts';
import { anyValueOf, attributesOf } from './read-values.ts';

const names = { resources: 'resourceLogs', scopes: 'scopeLogs', each: 'logRecords' };

/**
 * Reads an ExportLogsServiceRequest in JSON.
 * @throws OtlpFailure
 */
export function readLogRecordsOfJson(text: string): SpansOfLogs {
  let numOthers = 0;
  const batches = readBatchesOfJson(text, names, (place, counted) => {
    countMessage(counted);
    const span = spanOfLogRecord({
      time: timeOf(member(place, 'timeUnixNano')),
      observedTime: timeOf(member(place, 'observedTimeUnixNano')),
      eventName: textOf(member(place, 'eventName')),
      body: anyValueOf(member(place, 'body'), counted),
      attributes: attributesOf(member(place, 'attributes'), counted),
      traceId: idOf(member(place, 'traceId')),
      spanId: idOf(member(place, 'spanId')),
    });
    if (!span) numOthers += 1;
    return span;
  });
  return { batches, numOthers };
}
