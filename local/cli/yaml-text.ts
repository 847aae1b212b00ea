import { stringify } from 'yaml';

/** The same as JSON, so that whoever reads one can read the other. */
export function yamlText(data: unknown): string {
  return stringify(JSON.parse(JSON.stringify(data)), { lineWidth: 0, aliasDuplicateObjects: false });
}
