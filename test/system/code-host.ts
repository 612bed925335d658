import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { poll } from '@assay/testing/poll';

interface Comment {
  id: number;
  body: string;
}

/** The comments of change 7, at the paths of GitHub's and GitLab's REST interfaces. */
const listPaths = [
  /^\/repos\/acme\/support\/issues\/7\/comments$/,
  /^\/api\/v4\/projects\/42\/merge_requests\/7\/notes$/,
];
const commentPaths = {
  PATCH: /^\/repos\/acme\/support\/issues\/comments\/(\d+)$/,
  PUT: /^\/api\/v4\/projects\/42\/merge_requests\/7\/notes\/(\d+)$/,
} as const;

/** A server that keeps the comments of one change as GitHub and GitLab do, and one of a person. */
export async function startCodeHost() {
  const comments: Comment[] = [{ id: 1, body: 'Looks good.' }];
  let isRefusing = false;
  const server = createServer(async (request, response) => {
    const { method = '', headers } = request;
    const { pathname } = new URL(request.url!, 'http://host');
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const isKnown = headers.authorization === 'Bearer token of the job';
    const isMember = headers['private-token'] === 'token of the project';
    if (!isKnown && !isMember) return answer(401, { message: 'Bad credentials' });
    if (isRefusing) return answer(403, { message: 'Resource not accessible by integration' });
    if (listPaths.some((path) => path.test(pathname))) {
      if (method === 'GET') return answer(200, comments);
      const made = { id: comments.length + 1, body: await bodyOf(request) };
      comments.push(made);
      return answer(201, made);
    }
    const [, id] = commentPaths[method as 'PATCH' | 'PUT']?.exec(pathname) ?? [];
    const comment = comments.find((each) => each.id === Number(id));
    if (!comment) return answer(404, { message: 'Not Found' });
    comment.body = await bodyOf(request);
    return answer(200, comment);
  }).listen(0, '127.0.0.1');
  await poll('the host listens', () => server.listening);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    comments,
    /** From now on the token may do nothing. */
    refuse: () => {
      isRefusing = true;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return JSON.parse(text).body;
}
