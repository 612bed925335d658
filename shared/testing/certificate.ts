import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** The files of a certificate for this machine, of its key, and of both as mongod wants them. */
export interface Certificate {
  certificate: string;
  key: string;
  both: string;
}

/** Makes a certificate for 127.0.0.1 and localhost, which nobody trusts, in a folder. */
export async function makeCertificateIn(folder: string): Promise<Certificate> {
  const [certificate, key, both] = ['certificate.pem', 'key.pem', 'both.pem'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const subject = [
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=IP:127.0.0.1,DNS:localhost',
  ];
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    certificate,
    ...subject,
  ]);
  if (made.status !== 0) throw new Error(String(made.stderr));
  await writeFile(both, `${await readFile(key, 'utf8')}${await readFile(certificate, 'utf8')}`);
  return { certificate, key, both };
}
