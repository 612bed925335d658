/** Values for the examples in the API document: the ids of one made-up installation. */
export const exampleIds = {
  project: '019a9c1e-7d3a-7000-8000-0242ac120001',
  testset: '019a9c1e-7d3a-7000-8000-0242ac120002',
  testcase: '019a9c1e-7d3a-7000-8000-0242ac120003',
  metric: '019a9c1e-7d3a-7000-8000-0242ac120004',
  metricVersion: '019a9c1e-7d3a-7000-8000-0242ac120005',
  metricGroup: '019a9c1e-7d3a-7000-8000-0242ac120006',
  system: '019a9c1e-7d3a-7000-8000-0242ac120007',
  systemVersion: '019a9c1e-7d3a-7000-8000-0242ac120008',
  run: '019a9c1e-7d3a-7000-8000-0242ac120009',
  record: '019a9c1e-7d3a-7000-8000-0242ac12000a',
  user: '019a9c1e-7d3a-7000-8000-0242ac12000b',
  organization: '019a9c1e-7d3a-7000-8000-0242ac12000c',
  apiKey: '019a9c1e-7d3a-7000-8000-0242ac12000d',
  attachment: '019a9c1e-7d3a-7000-8000-0242ac12000e',
  tag: '019a9c1e-7d3a-7000-8000-0242ac12000f',
  humanMetric: '019a9c1e-7d3a-7000-8000-0242ac120010',
  pairwiseComparison: '019a9c1e-7d3a-7000-8000-0242ac120011',
  judgeOfPairs: '019a9c1e-7d3a-7000-8000-0242ac120012',
  otherRun: '019a9c1e-7d3a-7000-8000-0242ac120013',
  monitor: '019a9c1e-7d3a-7000-8000-0242ac120016',
  annotation: '019a9c1e-7d3a-7000-8000-0242ac120017',
  invitation: '019a9c1e-7d3a-7000-8000-0242ac120018',
  view: '019a9c1e-7d3a-7000-8000-0242ac120019',
  recordAnnotation: '019a9c1e-7d3a-7000-8000-0242ac12001a',
  testcaseAnnotation: '019a9c1e-7d3a-7000-8000-0242ac12001b',
  otherRecord: '019a9c1e-7d3a-7000-8000-0242ac12001c',
  // As OpenTelemetry makes them.
  trace: '4bf92f3577b34da6a3ce929d0e0e4736',
  span: '00f067aa0ba902b7',
} as const;

/** The parameters of signed URLs, which the service gives. */
export const exampleSignedUrl = {
  upload: '019a9c1e-7d3a-7000-8000-0242ac120014',
  download: '019a9c1e-7d3a-7000-8000-0242ac120015',
  expires: '1772357400',
  signature: 'Zr3mQ0aYV8sH2k-signed',
} as const;

/** The code of a device login, as RFC 8628 writes one. */
export const exampleUserCode = 'WDJB-MJHT';

export const exampleInstant = '2026-03-01T09:30:00.000Z';
