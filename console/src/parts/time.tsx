import { formatAge, formatInstant } from '../text/format.ts';

/** How long ago something was, with the exact instant as its title. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} title={formatInstant(at)}>
    {formatAge(at)}
  </time>
);
