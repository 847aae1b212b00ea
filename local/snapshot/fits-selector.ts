import * as z from 'zod';
import { parseLabelSelector } from '../openshift/api-server/label-selector.ts';

const Labelled = z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()).catch({}) }) });
const Fields = z.record(z.string(), z.unknown());

/** Same semantics as the API server's `labelSelector`. */
export function labelsFit(item: unknown, selector: string): boolean {
  return selector === '' || parseLabelSelector(selector)(Labelled.safeParse(item).data?.metadata.labels);
}

/** Same semantics as the API server's `fieldSelector`, for terms with `=` and `!=`; a missing field is the empty
 *  string. */
export function fieldsFit(item: unknown, selector: string): boolean {
  return selector
    .split(',')
    .filter((term) => term !== '')
    .every((term) => {
      const [, path = '', operator = '=', wanted = ''] = /^([^=!]+)(==|=|!=)(.*)$/.exec(term) ?? [];
      return (String(valueAt(item, path.split('.')) ?? '') === wanted) === (operator !== '!=');
    });
}

function valueAt(value: unknown, [key, ...rest]: readonly string[]): unknown {
  return key === undefined ? value : valueAt(Fields.safeParse(value).data?.[key], rest);
}
