import { render } from 'preact';
import './design/design.css';
import { detectLanguage, LanguageContext } from './language/language.ts';
import { App } from './shell/app.tsx';

const root = document.getElementById('app');
if (root !== null) {
  const language = detectLanguage(navigator.languages);
  document.documentElement.lang = language;
  render(
    <LanguageContext.Provider value={language}>
      <App />
    </LanguageContext.Provider>,
    root,
  );
}
