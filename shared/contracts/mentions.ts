/** People whom one comment mentions at most. */
export const mentionsMax = 20;

const mentionForm = /<@([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})>/g;

/** A mention as a comment has it: the name is looked up where the comment is shown. */
export const mentionOf = (userId: string): string => `<@${userId}>`;

/** The people whom a comment mentions, each once. */
export const mentionsIn = (comment: string | null | undefined): string[] => [
  ...new Set([...(comment ?? '').matchAll(mentionForm)].map(([, userId]) => userId!)),
];

/** Cuts a comment into its texts and the people between them, in turn; the first is a text. */
export const piecesOf = (comment: string): string[] => comment.split(mentionForm);
