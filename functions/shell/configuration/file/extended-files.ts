import { listOf, matching } from '../../../core/configuration/fields.ts';

const must = 'must be the path of a file, relative to this one';

/** The files that this one is layered over (functions/shell/configuration/layers.ts). */
export const ExtendedFiles = listOf(matching(/^[^\0]{1,300}$/, must), 'must be a list of paths')
  .max(20, { error: 'must be a list of at most 20 paths' })
  .optional()
  .describe(
    'Files that this one is layered over, the lowest first, relative to this one. Later ones win, and this one last.',
  );
