import type { Plugin } from 'vite';

export const bundledLicenses: Plugin;
