/** Translations of the texts that users see. */
export const texts = {
  hi: {
    "Each share must have a coin.": "हर हिस्से में कम से कम एक सिक्का होना चाहिए।",
    "All shares of this red packet are taken, or its time is over.":
      "इस लाल पैकेट के सभी हिस्से ले लिए गए हैं, या इसका समय समाप्त हो गया है।",
    "Your red packet": "आपका लाल पैकेट",
    "{{coins}} coins of your red packet came back.": "आपके लाल पैकेट के {{coins}} सिक्के वापस आ गए।",
  },
  ar: {
    "Each share must have a coin.": "يجب أن تحتوي كل حصة على عملة واحدة.",
    "All shares of this red packet are taken, or its time is over.": "تم أخذ جميع حصص هذا الظرف الأحمر، أو انتهى وقته.",
    "Your red packet": "ظرفك الأحمر",
    "{{coins}} coins of your red packet came back.": "عادت {{coins}} من عملات ظرفك الأحمر.",
  },
  es: {
    "Each share must have a coin.": "Cada parte debe tener una moneda.",
    "All shares of this red packet are taken, or its time is over.":
      "Ya no quedan partes de este sobre rojo, o su tiempo ha terminado.",
    "Your red packet": "Tu sobre rojo",
    "{{coins}} coins of your red packet came back.": "Te han vuelto {{coins}} monedas de tu sobre rojo.",
  },
  pt: {
    "Each share must have a coin.": "Cada parte deve ter uma moeda.",
    "All shares of this red packet are taken, or its time is over.":
      "Não há mais partes deste envelope vermelho, ou o tempo dele acabou.",
    "Your red packet": "Seu envelope vermelho",
    "{{coins}} coins of your red packet came back.": "{{coins}} moedas do seu envelope vermelho voltaram.",
  },
  id: {
    "Each share must have a coin.": "Setiap bagian harus berisi satu koin.",
    "All shares of this red packet are taken, or its time is over.":
      "Semua bagian angpau ini sudah diambil, atau waktunya sudah habis.",
    "Your red packet": "Angpau Anda",
    "{{coins}} coins of your red packet came back.": "{{coins}} koin dari angpau Anda telah kembali.",
  },
};
