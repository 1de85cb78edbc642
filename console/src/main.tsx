import './design/mantine.css';
import './design/colours.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Console } from './shell/console.tsx';

const place = document.querySelector('#console');
if (place === null) {
  throw new Error('index.html has no place for the console');
}
createRoot(place).render(
  <StrictMode>
    <Console />
  </StrictMode>,
);
