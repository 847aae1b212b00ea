import { Sequences } from '../../../core/configuration/sequence.ts';
import { fileForm } from './file-form.ts';

export const SequencesFile = fileForm(Sequences);
