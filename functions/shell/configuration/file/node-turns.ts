import { NodeTurns } from '../../../core/configuration/node-turns.ts';
import { fileForm } from './file-form.ts';

export const NodeTurnsFile = fileForm(NodeTurns);
