/** `<prefix>.question.<service>.<question>`; events and jobs likewise. */
export const subjectOf = (
  prefix: string,
  kind: 'question' | 'event' | 'job' | 'dead',
  service: string,
  name: string,
): string => `${prefix}.${kind}.${service}.${name}`;
