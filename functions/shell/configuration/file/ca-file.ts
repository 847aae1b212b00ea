import * as z from 'zod';

/** Stands beside `ca`; functions/shell/configuration/certificate-authorities.ts reads the file. */
export const caFile = z
  .string({ error: 'must be the path of a PEM file' })
  .optional()
  .describe('The same from a file, relative to poolkeeper.yaml. Read when the configuration is checked.');
