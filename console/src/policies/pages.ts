import { lazy } from 'react';
import type { ConsolePage } from '../shell/console-page.ts';

const title = { en: { title: 'Policies' }, de: { title: 'Richtlinien' } };
const explaining = { en: { title: 'Who may do what' }, de: { title: 'Wer darf was' } };
const editor = lazy(() => import('./policy-editor-page.tsx'));
const explainer = lazy(() => import('./explain-page.tsx'));

export const policyPages: readonly ConsolePage[] = [
  {
    path: '/policies',
    title,
    group: 'security',
    isFor: (session) => session.may('system', 'read'),
    component: lazy(() => import('./policies-page.tsx')),
  },
  {
    path: '/policies/new',
    title,
    isFor: (session) => session.may('system', 'write'),
    component: editor,
  },
  {
    path: '/policies/edit/:name',
    title,
    isFor: (session) => session.may('system', 'read'),
    component: editor,
  },
  {
    path: '/policies/explain/:request',
    title: explaining,
    isFor: (session) => session.may('system', 'read'),
    component: explainer,
  },
  // `explain`, and `explain?request=ID`, as links write it.
  {
    path: '/policies/:question',
    title: explaining,
    isFor: (session) => session.may('system', 'read'),
    component: explainer,
  },
];
