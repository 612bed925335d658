/** The stream of the events of all services. */
export const eventsStreamOf = (prefix: string): string => `${prefix.toUpperCase()}-EVENTS`;

/** The stream of the dead letters of all services. */
export const deadStreamOf = (prefix: string): string => `${prefix.toUpperCase()}-DEAD`;

/** The durable consumer by which the replicas of a service share an event of another one. */
export const eventConsumerOf = (
  hearer: string,
  { service, event }: { service: string; event: string },
): string => `${hearer}-${service}-${event}`;
