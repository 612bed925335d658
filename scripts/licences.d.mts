import type { Plugin } from 'vite';

export const licences: Plugin;
