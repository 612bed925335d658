type Role = 'admin' | 'member';

const words: Record<Role, { name: string; gist: string; sentence: string }> = {
  member: {
    name: 'Member',
    gist: 'works in every project',
    sentence:
      'Works in every project: makes, changes, scores and deletes everything in it. People and keys are for admins.',
  },
  admin: {
    name: 'Admin',
    gist: 'also people and keys',
    sentence:
      'Works in every project as a member does. Also invites people, changes their roles, and makes and revokes keys.',
  },
};

/** The roles, the one that may less first. */
export const roles = Object.keys(words) as Role[];

const wordsOf = (role: string) => words[role as Role] ?? { name: role, gist: '', sentence: '' };

/** "Admin: also people and keys" */
export function roleInWords(role: string): string {
  const { name, gist } = wordsOf(role);
  return gist ? `${name}: ${gist}` : name;
}

/** What somebody with this role may do. */
export const roleSentence = (role: string): string => wordsOf(role).sentence;

/** The role that a form has, by the field `role`. */
export const chosenRole = (form: FormData): Role =>
  form.get('role') === 'admin' ? 'admin' : 'member';
