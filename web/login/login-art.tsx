/** Tracks, trains and signals. */
export function LoginArt() {
  return (
    <svg className="art" viewBox="0 0 760 900" preserveAspectRatio="xMidYMid slice" fill="none" aria-hidden="true">
      <g stroke="#38433F" strokeWidth="3">
        <path d="M-20 250H780M-20 370H780M-20 490H780M-20 610H780" />
        <path d="M120 370l75 -120M330 490l75 -120M440 370l75 120M250 610l75 -120M560 250l75 120M600 490l75 120" />
      </g>
      <g stroke="#3FBF7D" strokeWidth="7" strokeLinejoin="round">
        <path d="M-20 370H440L515 490H780" />
        <path d="M-20 610H250L325 490" />
        <path d="M560 250H780" />
      </g>
      <path d="M195 250H560" stroke="#F0A82C" strokeWidth="9" strokeDasharray="6 4" />
      <g>
        <path d="M560 250v-26" stroke="#66726D" strokeWidth="2" />
        <path d="M560 211l9 9-9 9-9-9z" fill="#F0A82C" />
        <path d="M440 370v-26" stroke="#66726D" strokeWidth="2" />
        <circle cx="440" cy="340" r="6.500" fill="#3FBF7D" />
        <path d="M325 490v-26" stroke="#66726D" strokeWidth="2" />
        <rect x="318.5" y="453.5" width="13" height="13" rx="1" fill="#F0584D" />
        <path d="M700 490v-26" stroke="#66726D" strokeWidth="2" />
        <circle cx="700" cy="460" r="6.500" fill="#3FBF7D" />
        <path d="M90 610v-26" stroke="#66726D" strokeWidth="2" />
        <circle cx="90" cy="580" r="6.500" fill="#3FBF7D" />
      </g>
      <path d="M760 598v24M768 602v16" stroke="#8F9A95" strokeWidth="3" />
      <g>
        <rect x="300" y="239" width="109.6" height="22" rx="2" fill="#0C100F" stroke="#B7C1BC" strokeWidth="1.2" />
        <text x="354.8" y="254.5" textAnchor="middle" fontFamily="JetBrains Mono" fontSize="12" fill="#E8EDEB">
          release-notes
        </text>
      </g>
      <g>
        <rect x="40" y="359" width="116.8" height="22" rx="2" fill="#0C100F" stroke="#B7C1BC" strokeWidth="1.2" />
        <text x="98.4" y="374.5" textAnchor="middle" fontFamily="JetBrains Mono" fontSize="12" fill="#E8EDEB">
          checkout-retry
        </text>
      </g>
      <g>
        <rect x="570" y="479" width="109.6" height="22" rx="2" fill="#0C100F" stroke="#B7C1BC" strokeWidth="1.2" />
        <text x="624.8" y="494.5" textAnchor="middle" fontFamily="JetBrains Mono" fontSize="12" fill="#E8EDEB">
          ledger-import
        </text>
      </g>
      <g>
        <rect x="130" y="599" width="73.6" height="22" rx="2" fill="#0C100F" stroke="#B7C1BC" strokeWidth="1.2" />
        <text x="166.8" y="614.5" textAnchor="middle" fontFamily="JetBrains Mono" fontSize="12" fill="#E8EDEB">
          api-docs
        </text>
      </g>
      <g>
        <rect x="480" y="599" width="80.8" height="22" rx="2" fill="#0C100F" stroke="#B7C1BC" strokeWidth="1.2" />
        <text x="520.4" y="614.5" textAnchor="middle" fontFamily="JetBrains Mono" fontSize="12" fill="#E8EDEB">
          ops-shell
        </text>
      </g>
    </svg>
  )
}
