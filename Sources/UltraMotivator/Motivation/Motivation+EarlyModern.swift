extension Motivation {
    /// From Dante to Lichtenberg.
    static let earlyModernQuotes: [Quote] = [
        Quote(
            "You were not made to live like brutes, but to follow virtue and knowledge.",
            by: "Dante Alighieri", in: "Inferno, 26.119–120"),
        Quote(
            "Poor is the pupil who does not surpass his master.",
            by: "Leonardo da Vinci", in: "Notebooks, Codex Forster III, 66v"),
        Quote(
            "As iron rusts without use, and water goes foul or freezes in the cold, so the mind spoils without "
                + "exercise.",
            by: "Leonardo da Vinci", in: "Notebooks, Codex Atlanticus, 289v"),
        Quote(
            "Where there is great willingness, there cannot be great difficulty.",
            by: "Niccolò Machiavelli", in: "The Prince, 26, 1532"),
        Quote(
            "The greatest thing in the world is to know how to belong to oneself.",
            by: "Michel de Montaigne", in: "Essays, Of Solitude, 1580"),
        Quote(
            "Our doubts are traitors, and make us lose the good we oft might win, by fearing to attempt.",
            by: "William Shakespeare", in: "Measure for Measure, 1.4"),
        Quote(
            "Things won are done; joy’s soul lies in the doing.",
            by: "William Shakespeare", in: "Troilus and Cressida, 1.2"),
        Quote(
            "How poor are they that have not patience! What wound did ever heal but by degrees?",
            by: "William Shakespeare", in: "Othello, 2.3"),
        Quote("Each of us is the child of his own works.", by: "Miguel de Cervantes", in: "Don Quixote, 1.4, 1605"),
        Quote(
            "If a man will begin with certainties, he shall end in doubts; but if he will be content to begin with "
                + "doubts, he shall end in certainties.",
            by: "Francis Bacon", in: "The Advancement of Learning, 1605"),
        Quote(
            "A wise man will make more opportunities than he finds.",
            by: "Francis Bacon", in: "Essays, Of Ceremonies and Respects, 1625"),
        Quote(
            "Those who walk only very slowly can get much farther, if they always keep to the straight road, than "
                + "those who run and leave it.",
            by: "René Descartes", in: "Discourse on the Method, 1, 1637"),
        Quote(
            "A thousand days of practice to forge, ten thousand days to temper.",
            by: "Miyamoto Musashi", in: "The Book of Five Rings, Water, 1645"),
        Quote(
            "What is good, if it is brief, is twice as good.",
            by: "Baltasar Gracián", in: "The Art of Worldly Wisdom, 105, 1647"),
        Quote(
            "I have made this letter longer only because I have not had the time to make it shorter.",
            by: "Blaise Pascal", in: "Provincial Letters, 16, 1656"),
        Quote(
            "Long is the way and hard, that out of Hell leads up to light.",
            by: "John Milton", in: "Paradise Lost, 2.432–433, 1667"),
        Quote(
            "Patience and length of time do more than force and rage.",
            by: "Jean de La Fontaine", in: "Fables, The Lion and the Rat, 1668"),
        Quote(
            "There is no use in running; one has to start in time.",
            by: "Jean de La Fontaine", in: "Fables, The Hare and the Tortoise, 1668"),
        Quote(
            "Make haste slowly and, without losing courage, put your work back on the loom twenty times.",
            by: "Nicolas Boileau", in: "The Art of Poetry, 1, 1674"),
        Quote(
            "If I have seen further it is by standing on the shoulders of giants.",
            by: "Isaac Newton", in: "Letter to Robert Hooke, 5 February 1676"),
        Quote(
            "Everything excellent is as difficult as it is rare.",
            by: "Baruch Spinoza", in: "Ethics, 5, proposition 42, 1677"),
        Quote(
            "Few things are impossible in themselves; what we lack to make them succeed is application more than "
                + "means.",
            by: "François de La Rochefoucauld", in: "Maxims, 243, 1678"),
        Quote(
            "Every day is a journey, and the journey itself is home.",
            by: "Matsuo Bashō", in: "The Narrow Road to the Deep North, 1702"),
        Quote("Well done is better than well said.", by: "Benjamin Franklin", in: "Poor Richard’s Almanack, 1737"),
        Quote("Little strokes fell great oaks.", by: "Benjamin Franklin", in: "Poor Richard’s Almanack, 1750"),
        Quote("Patience is the art of hoping.", by: "Vauvenargues", in: "Reflections and Maxims, 1746"),
        Quote(
            "Great works are performed, not by strength, but perseverance.",
            by: "Samuel Johnson", in: "Rasselas, 13, 1759"),
        Quote(
            "Nothing will ever be attempted, if all possible objections must be first overcome.",
            by: "Samuel Johnson", in: "Rasselas, 6, 1759"),
        Quote("We must cultivate our garden.", by: "Voltaire", in: "Candide, 30, 1759"),
        Quote("The best is the enemy of the good.", by: "Voltaire", in: "La Bégueule, 1772"),
        Quote(
            "The harder the conflict, the more glorious the triumph.",
            by: "Thomas Paine", in: "The American Crisis, 1, 1776"),
        Quote(
            "What makes the worth of a man is not the truth that he possesses, but the honest effort he has made "
                + "to get to it.",
            by: "Gotthold Ephraim Lessing", in: "Eine Duplik, 1778"),
        Quote(
            "Have the courage to use your own understanding!",
            by: "Immanuel Kant", in: "What Is Enlightenment?, 1784"),
        Quote(
            "He that wrestles with us strengthens our nerves, and sharpens our skill. Our antagonist is our helper.",
            by: "Edmund Burke", in: "Reflections on the Revolution in France, 1790"),
        Quote(
            "No bird soars too high, if he soars with his own wings.",
            by: "William Blake", in: "The Marriage of Heaven and Hell, 1790"),
        Quote(
            "What is now proved was once only imagin’d.",
            by: "William Blake", in: "The Marriage of Heaven and Hell, 1790"),
        Quote(
            "I cannot say whether it will be better when it is different; but this much I can say: it must be "
                + "different if it is to be good.",
            by: "Georg Christoph Lichtenberg", in: "Waste Books, K 293"),
    ]
}
