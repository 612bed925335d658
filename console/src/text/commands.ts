import { publicPath } from '../api/public-path.ts';

/** A request to this server as a command that can be pasted into a terminal. */
export function curl(method: string, path: string, body?: object): string {
  const lines = [
    `curl -X ${method} ${location.origin}${publicPath}/v2${path}`,
    `-H "Authorization: Bearer $ASSAY_API_KEY"`,
  ];
  if (body)
    lines.push(
      `-H 'Content-Type: application/json'`,
      `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
    );
  return lines.join(' \\\n  ');
}
