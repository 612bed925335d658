import { ThumbsDown, ThumbsUp } from 'lucide-react';

/** A rating as a sign beside its word; drawn, since not every system has the character of a thumb. */
export function Thumb({ isGood }: { isGood: boolean }) {
  const Sign = isGood ? ThumbsUp : ThumbsDown;
  return <Sign aria-hidden size={14} strokeWidth={1.75} />;
}
