import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { proxiedFetch } from '../proxied-fetch.ts';

/** The variables that a job of GitHub Actions or of GitLab sets, and the tokens that it is given. */
export const commentConfig = {
  GITHUB_TOKEN: z.string().optional(),
  GITHUB_API_URL: z.string().optional(),
  GITHUB_REPOSITORY: z.string().optional(),
  GITHUB_EVENT_PATH: z.string().optional(),
  GITLAB_TOKEN: z.string().optional(),
  CI_API_V4_URL: z.string().optional(),
  CI_PROJECT_ID: z.string().optional(),
  CI_MERGE_REQUEST_IID: z.string().optional(),
};

type Environment = { [Name in keyof typeof commentConfig]?: string | undefined };

/** Where a comment is kept, and by whose permission. */
export type CommentPlace =
  | {
      host: 'github';
      token: string | undefined;
      apiUrl: string | undefined;
      repository: string | undefined;
      /** The file that tells of which pull request the job is. */
      eventPath: string | undefined;
    }
  | {
      host: 'gitlab';
      token: string | undefined;
      apiUrl: string | undefined;
      projectId: string | undefined;
      mergeRequest: string | undefined;
    };

export const commentPlace = (host: CommentPlace['host'], environment: Environment): CommentPlace =>
  host === 'github'
    ? {
        host,
        token: environment.GITHUB_TOKEN,
        apiUrl: environment.GITHUB_API_URL,
        repository: environment.GITHUB_REPOSITORY,
        eventPath: environment.GITHUB_EVENT_PATH,
      }
    : {
        host,
        token: environment.GITLAB_TOKEN,
        apiUrl: environment.CI_API_V4_URL,
        projectId: environment.CI_PROJECT_ID,
        mergeRequest: environment.CI_MERGE_REQUEST_IID,
      };

/** The first line of the comment, by which it is found again; neither host shows it. */
const marker = '<!-- assay-gate -->';

/**
 * Writes the one comment of a pull or merge request: edits it where it is there, else makes it. The
 * sentence says which of them was done, or why nothing was: a gate goes on without it.
 */
export async function keepComment(place: CommentPlace, text: string): Promise<string> {
  try {
    const comments = await commentsOf(place);
    if (typeof comments === 'string') return `No comment was written: ${comments}`;
    const body = `${marker}\n${text}`;
    const known = await findOwn(comments);
    if (known === undefined) await send(comments, 'POST', comments.listUrl, body);
    else await send(comments, comments.editBy, comments.commentUrl(known), body);
    return `The comment of the ${comments.change} was ${known === undefined ? 'made' : 'brought up to date'}.`;
  } catch (error) {
    return `No comment was written: ${sentenceOf(error as Error, place)}`;
  }
}

/** The list of a change's comments, as the host serves it. */
interface Comments {
  change: string;
  headers: Record<string, string>;
  listUrl: string;
  commentUrl: (id: number) => string;
  editBy: 'PATCH' | 'PUT';
}

/** The comments of the job's change; a sentence where it is of none. */
async function commentsOf(place: CommentPlace): Promise<Comments | string> {
  if (place.token === undefined || place.token === '') return howToPermit[place.host];
  if (place.host === 'github') {
    const { repository, eventPath, apiUrl = 'https://api.github.com' } = place;
    const number = eventPath === undefined ? undefined : await pullRequestIn(eventPath);
    if (repository === undefined || number === undefined)
      return 'this job is not of a pull request.';
    const issues = `${apiUrl}/repos/${repository}/issues`;
    return {
      change: 'pull request',
      headers: {
        authorization: `Bearer ${place.token}`,
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
      },
      listUrl: `${issues}/${number}/comments`,
      commentUrl: (id) => `${issues}/comments/${id}`,
      editBy: 'PATCH',
    };
  }
  const { apiUrl, projectId, mergeRequest } = place;
  if (!apiUrl || !projectId || !mergeRequest)
    return 'this job is not of a pipeline of a merge request.';
  const listUrl = `${apiUrl}/projects/${projectId}/merge_requests/${mergeRequest}/notes`;
  return {
    change: 'merge request',
    headers: { 'private-token': place.token },
    listUrl,
    commentUrl: (id) => `${listUrl}/${id}`,
    editBy: 'PUT',
  };
}

const howToPermit = {
  github: 'GITHUB_TOKEN must hold a token of a job with `permissions: { pull-requests: write }`.',
  gitlab:
    'GITLAB_TOKEN must hold an access token of the project with the scope `api`: the token of a job may not write comments.',
} as const;

async function pullRequestIn(eventPath: string): Promise<number | undefined> {
  const event = eventForm.safeParse(JSON.parse(await readFile(eventPath, 'utf8')));
  return event.data?.pull_request.number;
}

const eventForm = z.object({ pull_request: z.object({ number: z.int() }) });
const pageForm = z.array(z.object({ id: z.int(), body: z.string().nullish() }));

const pageItems = 100;
const timeoutMs = 30_000;

/** The id of the comment that begins with the marker. */
async function findOwn({ listUrl, headers }: Comments): Promise<number | undefined> {
  for (let page = 1; ; page++) {
    const response = await proxiedFetch()(`${listUrl}?per_page=${pageItems}&page=${page}`, {
      headers,
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw new Refusal(response.status, await response.text());
    const comments = pageForm.parse(await response.json());
    const own = comments.find(({ body }) => body?.startsWith(marker));
    if (own || comments.length < pageItems) return own?.id;
  }
}

async function send(
  { headers }: Comments,
  method: 'POST' | 'PATCH' | 'PUT',
  url: string,
  body: string,
): Promise<void> {
  const response = await proxiedFetch()(url, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ body }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new Refusal(response.status, await response.text());
}

/** An answer of the host that is none of success. */
class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;

  constructor(status: number, text: string) {
    super(text.replaceAll(/\s+/g, ' ').slice(0, 200));
    this.status = status;
  }
}

const hostNames = { github: 'GitHub', gitlab: 'GitLab' } as const;

function sentenceOf(error: Error, { host }: CommentPlace): string {
  if (!(error instanceof Refusal))
    return `${hostNames[host]} was not reached or not understood (${error.message}).`;
  const answered = `${hostNames[host]} answered ${error.status} ${error.message}.`;
  return [401, 403, 404].includes(error.status) ? `${answered} ${howToPermit[host]}` : answered;
}
