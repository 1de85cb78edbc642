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
    guide: 'policies',
    isFor: (session) => session.may('system', 'read'),
    component: lazy(() => import('./policies-page.tsx')),
  },
  {
    path: '/policies/new',
    title: { en: { title: 'New policy' }, de: { title: 'Neue Richtlinie' } },
    guide: 'policies',
    isFor: (session) => session.may('system', 'write'),
    component: editor,
  },
  {
    path: '/policies/edit/:name',
    title,
    guide: 'policies',
    isFor: (session) => session.may('system', 'read'),
    component: editor,
  },
  {
    path: '/policies/edit/:name/with/:action',
    title,
    guide: 'policies',
    isFor: (session) => session.may('system', 'read'),
    component: editor,
  },
  {
    path: '/policies/explain',
    title: explaining,
    guide: 'policies',
    isFor: (session) => session.may('system', 'read'),
    component: explainer,
  },
  {
    path: '/policies/explain/:request',
    title: explaining,
    guide: 'policies',
    isFor: (session) => session.may('system', 'read'),
    component: explainer,
  },
  // `explain`, and `explain?request=ID`, as links write it.
  {
    path: '/policies/:question',
    title: explaining,
    guide: 'policies',
    isFor: (session) => session.may('system', 'read'),
    component: explainer,
  },
];
