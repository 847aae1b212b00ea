import { ArgoCds } from '../../../core/configuration/argocd.ts';
import { caFile } from './ca-file.ts';
import { fileForm } from './file-form.ts';

export const ArgoCdsFile = fileForm(ArgoCds, { own: { relay: { caFile } } });
